"""A key that the framework does not know: misspelt, or in the wrong place.

DeepSpeed's top level and axolotl ignore what they do not know, so a slip means the default. DeepSpeed's sections, accelerate's
top level and the Hugging Face argument parsers refuse it. Programs around the Trainer have arguments of their own, so there
only a slip of one or two letters is told.

## What it costs

Ignored: the run goes on with the default (one gradient accumulation step instead of 8). Refused: it stops at start.

## Failing

```json ds.json
{"zero_optimization": {"stage": 2}, "gradient_acumulation_steps": 8, "train_micro_batch_size_per_gpu": 1}
```

## Passing

```json ds.json
{"zero_optimization": {"stage": 2}, "gradient_accumulation_steps": 8, "train_micro_batch_size_per_gpu": 1}
```

## Sources

- The key tables of `budgetlint.catalog.vocabulary`, generated from transformers 4.36 to 5.24, TRL 0.11 to 1.16, accelerate 0.30 to
  1.15, LLaMA-Factory 0.9, axolotl 0.6 to 0.19, DeepSpeed 0.14 and 0.19.
- DeepSpeed 0.19.8 `runtime/config_utils.py`: sections are pydantic models with `extra="forbid"`, the top level is read key by key.
- axolotl 0.19.0 `utils/schemas/config.py`: unknown keys are dropped.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.vocabulary import keys, misspelt
from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Severity

from ._common import TRAINING_ARGUMENTS
from ._keys import entries
from ._unknown import misspelt_key
from ._unknown_accelerate import check_accelerate
from ._unknown_deepspeed import check_deepspeed


def check(document: DocumentContext) -> Iterator[Finding]:
    yield from _CHECKS[document.format](document)


def _axolotl(document: DocumentContext) -> Iterator[Finding]:
    """Many unknown keys are those of older releases or of plugins: only slips are told."""
    taken = keys("axolotl", "top", "plugins")
    yield from _slips(document, taken, taken | keys("axolotl", "asked"), "axolotl ignores it")


def _trainer(document: DocumentContext) -> Iterator[Finding]:
    trainer, hparams = keys("hf", "training_arguments", "trl"), keys("llamafactory", "hparams")
    own = document.format == "llamafactory"
    if own and document.entry("finetuning_type") is None:
        return  # the second schema (llamafactory.v1) has names of its own
    wanted = keys("hf", "training_arguments") | hparams if own else trainer
    cost = "the argument parser stops, or a script of your own leaves the default"
    yield from _slips(document, wanted, trainer | hparams | keys("hf", "trl_script"), cost, Severity.WARNING, Confidence.MEDIUM)


def _slips(
    document: DocumentContext,
    wanted: frozenset[str],
    known: frozenset[str],
    cost: str,
    severity: Severity | None = None,
    confidence: Confidence | None = None,
) -> Iterator[Finding]:
    """Unknown keys near a wanted one that does not stand in the file itself."""
    there = {entry.key.text for entry in entries(document.reading)}
    for entry in entries(document.reading):
        meant = "" if entry.key.text in known else misspelt(entry.key.text, wanted)
        if meant and meant not in there:
            yield misspelt_key(document, entry, meant, cost, severity, confidence)


_CHECKS = {
    "deepspeed": check_deepspeed,
    "accelerate": check_accelerate,
    "axolotl": _axolotl,
    **dict.fromkeys((name for name in TRAINING_ARGUMENTS if name != "open_instruct"), _trainer),
}

RULE = Rule(
    code="BL920",
    name="unknown-key",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=tuple(_CHECKS),
    aliases=("ds-typo-key", "axolotl-unknown-key"),
)
