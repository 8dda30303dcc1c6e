"""DeepSpeed's communication buckets take a visible part of a small card.

Stage 1 and 2 keep one contiguous bucket of `reduce_bucket_size` elements, and a second one with `overlap_comm`, at their
full size however few parameters train. Stage 3 keeps one. The size is often copied from a recipe for large cards.

## What it costs

Two buckets of 5e8 elements in 16 bit are 2.0 GB on every GPU: an eighth of a 16 GB card.

## Failing

```budget
device rtx-4090
config train.yaml
```

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
per_device_train_batch_size: 1
learning_rate: 0.00001
num_train_epochs: 1
save_strategy: epoch
bf16: true
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2, "overlap_comm": true, "reduce_bucket_size": 5e8}, "bf16": {"enabled": true}}
```

## Passing

```budget
device rtx-4090
config train.yaml
```

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
per_device_train_batch_size: 1
learning_rate: 0.00001
num_train_epochs: 1
save_strategy: epoch
bf16: true
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2, "overlap_comm": true, "reduce_bucket_size": 5e7}, "bf16": {"enabled": true}}
```

## When it is meant

Large buckets hide slow links between machines.

## Sources

- DeepSpeed 0.19.8 `runtime/zero/stage_1_and_2.py` `setup_buckets`, `runtime/zero/stage3.py`: `torch.empty(reduce_bucket_size)`.
  (The transformers manual's "4.5 x the bucket, 9 GB" dates from older releases.)
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.units import both
from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, device_of

PART_OF_DEVICE = 20
"""One twentieth of what the device can give."""

WITHOUT_DEVICE_BYTES = 2_000_000_000
DTYPE_BYTES = {"fp32": 4}


def check(run: RunContext) -> Iterator[Finding]:
    bucket, overlap, stage = run.setting("zero_bucket"), run.setting("zero_overlap"), run.value("shard")
    if bucket is None or not bucket.known or stage not in ("zero1", "zero2", "zero3") or run.value("zero_contiguous") is False:
        return
    twice = overlap is not None and overlap.value is True and stage != "zero3"
    size = bucket.value * DTYPE_BYTES.get(str(run.value("engine_dtype")), 2) * (2 if twice else 1)
    spec, card = run.target.device if run.target else None, device_of(run)
    large = size * PART_OF_DEVICE > spec.usable_low if spec else size >= WITHOUT_DEVICE_BYTES
    stated = not bucket.is_default or (overlap is not None and not overlap.is_default)
    if not large or not stated:
        return
    share = f", {100 * size / spec.usable_low:.0f}% of the {card.name if card else spec.text}" if spec else ""
    kept = "with overlap_comm keeps two buckets" if twice else "keeps one bucket"
    yield run.finding(
        bucket if not bucket.is_default else overlap,
        f"reduce_bucket_size {bucket.text} {kept}: {both(size)} on every GPU{share}",
        help='"auto" (hidden size squared) or 5e7',
        because=[setting for setting in (overlap, run.setting("shard")) if setting],
        numbers={"bucket_bytes": size},
        severity=None if spec else Severity.INFO,
    )


RULE = Rule(
    code="BL510",
    name="ds-overlap-bucket-memory",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=("deepspeed",),
    harm=9.0,
)
