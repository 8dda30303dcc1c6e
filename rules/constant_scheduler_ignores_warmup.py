"""A warm-up beside `lr_scheduler_type: constant`, which has none.

## What it costs

The learning rate is at its full height from step 0: the warm-up is dropped without a message. (A schedule-free optimizer warms up by
itself and wants this schedule: `schedulefree-warmup-ratio` looks at it.)

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
lr_scheduler_type: constant
warmup_ratio: 0.03
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
lr_scheduler_type: constant_with_warmup
warmup_ratio: 0.03
```

## Sources

- transformers 5.24.0 `optimization.py` `get_scheduler`: `SchedulerType.CONSTANT` returns before the warm-up is looked at; run.
- The original QLoRA script has `--warmup_ratio 0.03 --lr_scheduler_type constant`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINER_RUNS, Confidence, Finding, Rule, RunContext, Safety, Severity, as_written, stated

from .schedulefree_warmup_ratio import WARMS_UP


def check(run: RunContext) -> Iterator[Finding]:
    trainer, scheduler = run.run.trainer, run.setting("lr_scheduler")
    if trainer is None or trainer.format not in TRAINER_RUNS:
        return
    if scheduler is None or not stated(scheduler) or scheduler.text != "constant" or _warms_up_itself(run):
        return
    warmups = [setting for setting in map(run.setting, ("warmup_steps", "warmup_ratio")) if setting and stated(setting)]
    on = [setting for setting in warmups if setting.value > 0]
    if on:
        yield run.finding(
            scheduler,
            f"'{as_written(scheduler)}' has no warm-up: '{as_written(on[0])}' has no effect, and the first steps run at the full rate",
            help=f"write constant_with_warmup, or remove {on[0].origin.key.rpartition('.')[2]}",
            because=on,
            fixes=run.set(scheduler, "constant_with_warmup", "warm up as stated", safety=Safety.UNSAFE),
        )


def _warms_up_itself(run: RunContext) -> bool:
    optimizer = run.setting("optimizer")
    return optimizer is not None and optimizer.text in WARMS_UP


RULE = Rule(
    code="BL303",
    name="constant-scheduler-ignores-warmup",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    needs=("lr_scheduler",),
    words=("lr_scheduler=constant",),
    harm=11.6,
)
