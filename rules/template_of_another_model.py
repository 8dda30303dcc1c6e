"""A chat template of one family of models for a chat model of another.

LLaMA-Factory registers a template for each chat model that it knows. Another one is taken without a word.

## What it costs

Turns are marked with tokens that the model never saw in that place, its own end-of-turn token among them: what it learned as a chat model
is unlearned first, and whoever serves it with its own template gets another format than it was trained on.

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
stage: sft
do_train: true
finetuning_type: lora
dataset: identity
template: llama3
cutoff_len: 2048
output_dir: out
```

## Passing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
stage: sft
do_train: true
finetuning_type: lora
dataset: identity
template: qwen
cutoff_len: 2048
output_dir: out
```

## When it is meant

A base model has no template of its own, and is not told; nor is `default`, `empty` or `alpaca`, which say that the format is one's own.

## Sources

- LLaMA-Factory 0.8.3 to 0.9.5 `extras/constants.py` `register_model_group`, in `budgetlint/catalog/model_templates.json`
  (``benchmarks/templates_of_models.py``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from budgetlint.catalog.model_templates import ours, registered
from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, trainer_of, written_by

APART = ("llama", "phi")
"""Families whose generations mark turns with other tokens."""


def check(run: RunContext) -> Iterator[Finding]:
    if trainer_of(run, ("llamafactory",)) is None:
        return
    template, model = written_by(run, "template"), written_by(run, "model_name_or_path")
    if template is None or model is None or not template.known or not model.known:
        return
    given, own = str(template.value), registered(str(model.value))
    if not own or given not in ours() or any(_family(given) == _family(one) for one in own):
        return
    yield run.finding(
        template,
        f"template {given} is of other models (LLaMA-Factory registers {' or '.join(own)} for {_named(str(model.value))}): "
        "turns are marked with tokens that the model never saw there",
        help=f"template: {own[0]}",
        because=[model],
    )


def _named(model: str) -> str:
    return model.rstrip("/").rpartition("/")[2]


def _family(template: str) -> str:
    """``qwen`` of ``qwen3_nothink``; ``llama3`` of ``llama3``."""
    found = re.match(r"([a-z]+)(\d*)", template)
    stem, number = (found[1], found[2]) if found else (template, "")
    return stem + number if stem in APART else stem


RULE = Rule(
    code="BL645",
    name="template-of-another-model",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    formats=("llamafactory",),
    words=("template",),
    harm=7.0,
)
