"""The DeepSpeed file brings its own scheduler, so the trainer's `lr_scheduler_type` has no effect.

`WarmupLR` is constant after the warm-up, `WarmupDecayLR` falls linearly, `WarmupCosineLR` is a cosine. Told only when the shape differs
from the one that the trainer asks for.

DeepSpeed warms up on a logarithm unless `warmup_type` is `linear`: of 100 warm-up steps the tenth is already at 52% of the rate, where
the Trainer's own schedules are at 10%. That alone is not told.

## What it costs

The learning rate does not fall as asked: with `WarmupLR` it does not fall at all. No message.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
lr_scheduler_type: cosine
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2}, "scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": "auto"}}}
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
lr_scheduler_type: linear
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2},
 "scheduler": {"type": "WarmupDecayLR", "params": {"warmup_num_steps": "auto", "total_num_steps": "auto"}}}
```

## Sources

- transformers 5.24.0 `integrations/deepspeed.py` `deepspeed_optim_sched`: with a `scheduler` section only a `DummyScheduler` is made.
- DeepSpeed 0.19.3 `runtime/lr_schedules.py`: the shapes; `warmup_type = WARMUP_LOG_RATE`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    TRAINERS_AND_AXOLOTL,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Safety,
    Severity,
    as_written,
    stated,
    trainer_of,
    written_in,
)

SHAPES = {
    "WarmupLR": ("stays at the full rate after the warm-up", ("constant_with_warmup", "constant")),
    "WarmupDecayLR": ("falls linearly after the warm-up", ("linear", "polynomial")),
    "WarmupCosineLR": ("falls as a cosine after the warm-up", ("cosine",)),
    "OneCycle": ("goes up and down once", ()),
    "LRRangeTest": ("rises through the whole run", ()),
}
"""DeepSpeed's type: what it does, and the trainer's names for the same shape."""


def check(run: RunContext) -> Iterator[Finding]:
    engine, trainer = run.reading("deepspeed"), trainer_of(run, TRAINERS_AND_AXOLOTL)
    ours = trainer.settings.get("lr_scheduler") if trainer is not None else None
    theirs = written_in(engine, "scheduler.type") if engine is not None else None
    if engine is None or ours is None or theirs is None or not stated(ours) or theirs.value not in SHAPES:
        return
    does, same = SHAPES[theirs.value]
    if ours.text in same:
        return
    section = written_in(engine, "scheduler")
    yield run.finding(
        ours,
        f"'{as_written(ours)}' has no effect: the DeepSpeed file's {theirs.text} {does}",
        help="delete the scheduler section of the DeepSpeed file: the Trainer then makes its own schedule",
        because=[theirs],
        fixes=run.delete(section, "delete the scheduler section", safety=Safety.UNSAFE) if section is not None else (),
    )


RULE = Rule(
    code="BL310",
    name="ds-scheduler-overrides-hf",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=("deepspeed",),
    needs=("lr_scheduler",),
    harm=11.0,
)
