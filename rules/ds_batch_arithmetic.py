"""The three batch sizes of a DeepSpeed file cannot be true together on any number of GPUs.

DeepSpeed asserts `train_batch_size == train_micro_batch_size_per_gpu x gradient_accumulation_steps x processes`. A missing
one is derived by floor division, so a pair that does not divide fails the same way.

## What it costs

The run stops at start with "Check batch related parameters", on every number of processes.

## Failing

```json ds.json
{"zero_optimization": {"stage": 2}, "train_batch_size": 64, "train_micro_batch_size_per_gpu": 5}
```

## Passing

```json ds.json
{"zero_optimization": {"stage": 2}, "train_batch_size": 64, "train_micro_batch_size_per_gpu": 4}
```

## Sources

- DeepSpeed 0.19.8 `runtime/config.py` `_batch_assertion`, `_set_batch_related_parameters`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Severity, is_on, number_of, written_in

PARTS = ("train_micro_batch_size_per_gpu", "gradient_accumulation_steps")


def check(document: DocumentContext) -> Iterator[Finding]:
    reading = document.reading
    total = written_in(reading, "train_batch_size")
    parts = [part for part in (written_in(reading, key) for key in PARTS) if part is not None]
    values = [value for value in map(number_of, (total, *parts)) if value is not None]
    if total is None or not parts or len(values) != len(parts) + 1 or _computed(document):
        return
    whole, step = values[0], 1.0
    for value in values[1:]:
        step *= value
    if step <= 0 or whole % step == 0:
        return
    named = " x ".join(f"{part.name} {part.text}" for part in parts)
    yield document.finding(
        total,
        f"train_batch_size {total.text} is no multiple of {named}: DeepSpeed stops at start on any number of processes",
        help="leave train_batch_size out, or make it a multiple",
        because=parts,
        numbers={"stated_sequences": int(whole), "step_sequences": int(step)},
    )


def _computed(document: DocumentContext) -> bool:
    """Elastic training computes all three; sequence parallelism makes the number of replicas a fraction."""
    reading = document.reading
    return is_on(written_in(reading, "elasticity.enabled")) or written_in(reading, "sequence_parallel_size") is not None


RULE = Rule(
    "BL502",
    "ds-batch-arithmetic",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    formats=("deepspeed",),
    harm=8.5,
)
