"""A 4-bit base without a type: `BitsAndBytesConfig` takes fp4, not the nf4 of QLoRA.

TRL, axolotl, LLaMA-Factory and Unsloth write nf4 by themselves; a plain `BitsAndBytesConfig(load_in_4bit=True)` does not.

## What it costs

Quality: the QLoRA paper measures a mean perplexity of 27.41 for nf4 and 29.48 or 31.07 for the two fp4 types, at equal memory
(table 2). Double quantisation, off by default too, saves 0.37 bits per parameter.

## Failing

```python train.py
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, TrainingArguments

quant = BitsAndBytesConfig(load_in_4bit=True)
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", quantization_config=quant)
args = TrainingArguments(output_dir="out", per_device_train_batch_size=1)
```

## Passing

```python train.py
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, TrainingArguments

quant = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4")
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", quantization_config=quant)
args = TrainingArguments(output_dir="out", per_device_train_batch_size=1)
```

## Sources

- transformers 5.24.0 and 4.57.6 `utils/quantization_config.py` `BitsAndBytesConfig`: `bnb_4bit_quant_type="fp4"`.
- Dettmers et al., QLoRA, arXiv 2305.14314, table 2 and section 3.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.readers.python_script import classes
from budgetlint.rule import HUGGING_FACE, PYTHON, Confidence, DocumentContext, Finding, Mapping, Rule, Safety, Severity, is_on, written_in

_SECTIONS = ("quantization_config", "bnb_config")
_TYPES = ("bnb_4bit_quant_type", "quant_type")


def check(document: DocumentContext) -> Iterator[Finding]:
    for place in _places(document):
        switch = written_in(document.reading, f"{place}.load_in_4bit")
        kind = written_in(document.reading, *(f"{place}.{name}" for name in _TYPES))
        if switch is None or not is_on(switch) or kind is not None:
            continue
        yield document.finding(
            switch,
            "4 bits without bnb_4bit_quant_type are fp4: less exact than the nf4 that QLoRA recipes mean, at equal memory",
            help="bnb_4bit_quant_type: nf4, and bnb_4bit_use_double_quant: true to save 0.37 bits per parameter",
            fixes=document.insert_after(switch, "bnb_4bit_quant_type", "nf4", safety=Safety.UNSAFE),
        )


def _places(document: DocumentContext) -> tuple[str, ...]:
    """Blocks that become a ``BitsAndBytesConfig``, with all their keys in sight."""
    if document.format not in PYTHON:
        return tuple(name for name in _SECTIONS if isinstance(document.node(name), Mapping))
    name = "BitsAndBytesConfig"
    found = classes.block(document.reading.document, name)
    return (name,) if classes.class_of(found) == f"transformers.{name}" and not classes.is_partial(found) else ()


RULE = Rule(
    code="BL410",
    name="bnb-fp4-default",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=(*HUGGING_FACE, *PYTHON),
    words=("load_in_4bit",),
    harm=6.0,
)
