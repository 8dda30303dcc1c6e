"""A schedule-free optimizer with a warm-up that is a share of the run, of which it sees nothing.

It warms up by itself and is handed `warmup_steps` as it is written: 0.03 steps, or 0 beside `warmup_ratio`. Told with
`lr_scheduler_type: constant`, as its authors ask; any other schedule warms up too.

## What it costs

The first steps run at the full rate. No message.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
optim: schedule_free_adamw
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
optim: schedule_free_adamw
lr_scheduler_type: constant
warmup_steps: 100
```

## Sources

- transformers 5.24.0 `trainer_optimizer.py` `_get_schedule_free_optimizer` (`warmup_steps = ctx.args.warmup_steps`); 4.46.3, 4.57.6 and
  5.0.0 `trainer.py`: the same. In 5.0 to 5.14 `warmup_ratio` is copied into `warmup_steps`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, as_written, stated, trainer_of

WARMS_UP = frozenset(("schedule_free_adamw", "schedule_free_sgd"))
"""``schedule_free_radam`` needs no warm-up."""


def check(run: RunContext) -> Iterator[Finding]:
    setting, schedule = run.setting("optimizer"), run.setting("lr_scheduler")
    if trainer_of(run) is None or setting is None or setting.text not in WARMS_UP or schedule is None or schedule.text != "constant":
        return
    steps, ratio = run.setting("warmup_steps"), run.setting("warmup_ratio")
    if steps is not None and (not steps.known or steps.value >= 1):
        return
    share = next((one for one in (steps, ratio) if one is not None and stated(one) and 0 < one.value < 1), None)
    if share is None or (share is steps and run.at_least("transformers", "5.0.0") is False):
        return
    yield run.finding(
        share,
        f"'{as_written(share)}' is no warm-up for {setting.text}, which counts whole warmup_steps, and the constant schedule has none: "
        "the first steps run at the full rate",
        help="write the warm-up as a whole number of warmup_steps",
        because=[setting, schedule],
        numbers={"warmup_fraction": share.value},
    )


RULE = Rule(
    code="BL318",
    name="schedulefree-warmup-ratio",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("optimizer", "lr_scheduler"),
    words=tuple(f"optimizer={name}" for name in sorted(WARMS_UP)),
    harm=7.0,
)
