"""`load_in_4bit` or `load_in_8bit` as an argument of `from_pretrained` under transformers 5.

transformers 4 turned the argument into a `BitsAndBytesConfig`, with a deprecation warning. Version 5 hands it to the model's class.

## What it costs

The run stops when the model is loaded: "got an unexpected keyword argument 'load_in_4bit'".

## Failing

```python train.py
from transformers import AutoModelForCausalLM, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", load_in_4bit=True)
args = TrainingArguments(output_dir="out", per_device_train_batch_size=1)
```

```budget
device 1x a100-80gb
stack transformers@5.0
```

## Passing

```python train.py
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, TrainingArguments

quant = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4")
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", quantization_config=quant)
args = TrainingArguments(output_dir="out", per_device_train_batch_size=1)
```

```budget
device 1x a100-80gb
stack transformers@5.0
```

## Sources

- transformers 4.57.6 `modeling_utils.py` `from_pretrained`: pops both, warns that they go.
- transformers 5.0.0 and 5.24.0 `modeling_utils.py`: neither name is there. Run: "LlamaForCausalLM.__init__() got an unexpected
  keyword argument 'load_in_4bit'".
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.readers.python_script import classes
from budgetlint.rule import PYTHON, TRL_FORMATS, Confidence, DocumentContext, Finding, Rule, Setting, Severity, is_on, written_in

KEYS = ("load_in_4bit", "load_in_8bit")


def check(document: DocumentContext) -> Iterator[Finding]:
    found = [setting for place in _places(document) for setting in _switches(document, place)]
    newer = document.at_least("transformers", "5.0.0") if found else False
    for switch in found if newer is not False else ():
        last = switch.name.rpartition(".")[2]
        cost = "which transformers 5 no longer takes" if newer else "which transformers 5 no longer takes (4.x warns)"
        yield document.finding(
            switch,
            f"{last} is an argument of from_pretrained here, {cost}: the run stops when the model is loaded",
            help=f"pass quantization_config=BitsAndBytesConfig({last}=True{_KIND.get(last, '')})",
            severity=Severity.ERROR if newer else Severity.WARNING,
            confidence=Confidence.HIGH if newer else Confidence.MEDIUM,
        )


_KIND = {"load_in_4bit": ', bnb_4bit_quant_type="nf4"'}


def _places(document: DocumentContext) -> Iterator[str]:
    """Arguments of ``from_pretrained`` in transformers; Unsloth's and TRL's own classes know these names themselves."""
    if document.format not in PYTHON:
        yield "model_init_kwargs"
        return
    for name, block in classes.sections(document.reading.document):
        tag = block.tag.removesuffix("?")
        if tag.startswith("transformers.") and tag.endswith(".from_pretrained"):
            yield name
        elif name in classes.TRL_ARGUMENTS:
            yield f"{name}.model_init_kwargs"


def _switches(document: DocumentContext, place: str) -> Iterator[Setting]:
    for key in KEYS:
        switch = written_in(document.reading, f"{place}.{key}")
        if switch is not None and is_on(switch):
            yield switch


RULE = Rule(
    code="BL409",
    name="load-in-4bit-kwarg-removed",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=(*TRL_FORMATS, *PYTHON),
    applies="transformers >= 5.0.0",
    flags=True,
    words=("load_in_4bit", "load_in_8bit"),
    harm=7.0,
)
