"""`loftq_config` without `init_lora_weights: loftq`.

LoftQ starts the adapter from what quantisation loses; PEFT does that only where `init_lora_weights` asks for it.

## What it costs

The configuration is ignored, with a warning from newer PEFT: the adapter starts from zero as plain LoRA.

## Failing

```python train.py
from peft import LoftQConfig, LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
lora = LoraConfig(r=8, loftq_config=LoftQConfig(loftq_bits=4))
model = get_peft_model(model, lora)
args = TrainingArguments(output_dir="out", num_train_epochs=1)
```

## Passing

```python train.py
from peft import LoftQConfig, LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
lora = LoraConfig(r=8, loftq_config=LoftQConfig(loftq_bits=4), init_lora_weights="loftq")
model = get_peft_model(model, lora)
args = TrainingArguments(output_dir="out", num_train_epochs=1)
```

## Sources

- PEFT 0.21.2 `tuners/lora/config.py` `LoraConfig.__post_init__`: "`loftq_config` specified but will be ignored".
- axolotl 0.18.0 `loaders/adapter.py` `_build_lora_config_kwargs`: sets both, and `peft_init_lora_weights` wins.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Mapping, Rule, Safety, Setting, Severity, written_in

from ._adapters import PEFT_FORMATS, inside, lora_sections


def check(document: DocumentContext) -> Iterator[Finding]:
    for loftq, start in _pairs(document):
        if loftq is None or not _is_filled(loftq) or (start is not None and (not start.known or start.value == "loftq")):
            continue
        if start is None and document.format == "axolotl":
            continue
        reason = f"{start.name.rpartition('.')[2]} is {start.text}" if start is not None else "init_lora_weights is not 'loftq'"
        yield document.finding(
            loftq,
            f"loftq_config is ignored, because {reason}: the adapter does not make up for what quantisation loses",
            help="write init_lora_weights: loftq, or remove loftq_config",
            because=[start] if start is not None else (),
            fixes=document.set(start, "loftq", safety=Safety.UNSAFE) if start is not None else (),
        )


def _pairs(document: DocumentContext) -> Iterator[tuple[Setting | None, Setting | None]]:
    reading = document.reading
    if document.format == "axolotl":
        yield written_in(reading, "peft.loftq_config"), written_in(reading, "peft_init_lora_weights")
    for section in lora_sections(reading):
        yield inside(reading, section, "loftq_config"), inside(reading, section, "init_lora_weights")


def _is_filled(loftq: Setting) -> bool:
    """``{}`` is what PEFT writes where there is none; a call is a configuration even without arguments."""
    return isinstance(loftq.value, Mapping) and bool(loftq.value.entries or loftq.value.tag)


RULE = Rule(
    code="BL431",
    name="loftq-ignored",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=(*PEFT_FORMATS, "axolotl"),
    words=("loftq_config",),
    harm=5.0,
)
