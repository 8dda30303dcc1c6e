"""A cosine schedule with a floor, whose floor is not given, or given twice.

`lr_scheduler_kwargs` takes `min_lr` (a rate) or `min_lr_rate` (a share of the peak), and needs exactly one of them.

## What it costs

The run stops after the model is loaded, when the schedule is built: "One of min_lr or min_lr_rate should be set".

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
lr_scheduler_type: cosine_with_min_lr
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
lr_scheduler_type: cosine_with_min_lr
lr_scheduler_kwargs: {min_lr_rate: 0.1}
```

## Sources

- transformers 4.41.0, 4.57.6 and 5.24.0 `optimization.py` `get_cosine_with_min_lr_schedule_with_warmup`; `cosine_warmup_with_min_lr`, where
  it exists, checks the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    TRAINERS_AND_AXOLOTL,
    Confidence,
    Finding,
    OriginKind,
    Rule,
    RunContext,
    Severity,
    as_written,
    keys_under,
    stated,
    trainer_of,
)

FLOORED = frozenset(("cosine_with_min_lr", "cosine_warmup_with_min_lr"))
FLOORS = ("min_lr", "min_lr_rate")


def check(run: RunContext) -> Iterator[Finding]:
    schedule = run.setting("lr_scheduler")
    if trainer_of(run, TRAINERS_AND_AXOLOTL) is None or schedule is None or not stated(schedule) or schedule.text not in FLOORED:
        return
    given = keys_under(run, "lr_scheduler_kwargs")
    floors = [name for name in FLOORS if given is not None and given.get(name, "null") not in ("null", "~", "")]
    if given is None or len(floors) == 1:
        return
    sure = schedule.origin.kind is OriginKind.FILE
    what = "both min_lr and min_lr_rate" if floors else "neither min_lr nor min_lr_rate"
    yield run.finding(
        schedule,
        f"'{as_written(schedule)}' with {what} in lr_scheduler_kwargs: the run stops when the schedule is built",
        help="lr_scheduler_kwargs: {min_lr_rate: 0.1} ends at a tenth of the learning rate",
        severity=None if sure else Severity.WARNING,
        confidence=None if sure else Confidence.MEDIUM,
    )


RULE = Rule(
    code="BL323",
    name="cosine-min-lr-kwargs",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("lr_scheduler",),
    words=tuple(f"lr_scheduler={name}" for name in sorted(FLOORED)),
    harm=5.5,
    stops=True,
)
