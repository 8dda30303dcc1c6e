"""A training config does not state its seed.

In this house a run must be repeatable by its config alone.

## What it costs

Two runs cannot be told apart by anything but luck: the framework's default seed changes with the framework, and nobody sees it.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 4
num_train_epochs: 1
learning_rate: 0.0002
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 4
num_train_epochs: 1
learning_rate: 0.0002
seed: 42
```

## Sources

- The house's handbook.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Safety, Severity, argument_entries

FORMATS = ("hf_training_arguments", "trl", "llamafactory", "axolotl")


def check(document: DocumentContext) -> Iterator[Finding]:
    batch = document.setting("micro_batch")
    if batch is None or not batch.known or _has_seed(document):
        return
    yield document.finding(
        batch,
        "no seed is stated: this run cannot be repeated by its config alone",
        help="seed: 42",
        fixes=document.insert_after(batch, "seed", 42, safety=Safety.UNSAFE),
    )


def _has_seed(document: DocumentContext) -> bool:
    return any(entry.key.text == "seed" for entry in argument_entries(document.reading))


RULE = Rule(
    code="HOUSE001",
    name="run-without-seed",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="1.0.0",
    fix="unsafe",
    formats=FORMATS,
    url="https://handbook.example/run-without-seed",
)
