"""The warm-up is longer than the run.

Told where both are written as numbers of steps, and of a share above 1, often written in percent. A warm-up of exactly the run's length
may be one stage of several, and is not told.

## What it costs

The learning rate never reaches the value that is configured, and no decay follows. transformers before 5.0 stops at a share above 1;
from then on it takes the number as steps: `warmup_ratio: 3` is a warm-up of 3 steps.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
learning_rate: 0.0001
logging_steps: 10
max_steps: 200
warmup_steps: 500
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
learning_rate: 0.0001
logging_steps: 10
max_steps: 200
warmup_steps: 20
```

## Sources

- transformers 5.24.0 `optimization.py`: the rate is `step / warmup_steps` of its peak during the warm-up.
- transformers 4.41.0 and 4.57.6 `training_args.py` `__post_init__`: "warmup_ratio must lie in range [0,1]"; 5.0.0: the share becomes
  `warmup_steps`; 5.24.0 has no such argument. ms-swift 4.6.0 `trainers/arguments.py`: "must be less than 1".
- transformers 4.53.2 and diffusers 0.31.0 `optimization.py` `get_scheduler`, `get_cosine_schedule_with_warmup`: the same of a loop that
  makes its schedule itself.
- torchtune 0.6.1 `recipes/lora_finetune_distributed.py`: `max_steps_per_epoch` cuts each epoch off, and the schedule is made for that many.
- axolotl 0.12.2 `core/builders/base.py`: the share times the steps of the run.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    Confidence,
    Finding,
    Rule,
    RunContext,
    Setting,
    Severity,
    as_written,
    number_of,
    number_text,
    stated,
    trainer_of,
    written_by,
)


def check(run: RunContext) -> Iterator[Finding]:
    yield from _own(run)
    share = run.setting("warmup_ratio")
    if share is not None and stated(share) and share.value > 1:
        yield _share(run, share)
        return
    warmup, rate = run.setting("warmup_steps"), run.setting("learning_rate")
    steps, most, run_of = _length(run)
    if steps is None or warmup is None or not stated(warmup) or most < 1 or warmup.value <= most:
        return
    reached = most / warmup.value
    peak = f"{reached * rate.value:.2g} instead of {number_text(rate.value)}" if rate and rate.known else f"{reached:.0%} of its value"
    yield run.finding(
        warmup,
        f"'{as_written(warmup)}' is longer than the run ({run_of}): the learning rate ends at {peak}",
        help=f"3 to 10% of the run is usual: {max(1, round(most * 0.03))} to {max(1, round(most * 0.1))} steps",
        because=[steps],
        numbers={"warmup_steps": warmup.value, "max_steps": most, "peak_fraction": reached},
    )


def _own(run: RunContext) -> Iterator[Finding]:
    """A schedule that a loop of the program's own makes."""
    for one in run.program.schedules if run.program is not None else ():
        if 1 <= one.total < one.warmup:
            yield run.finding(
                one.warmup_at,
                f"{one.warmup_key} {one.warmup:g} is longer than the run ({one.total_key} {one.total:g}): the learning rate only "
                f"climbs, to {one.total / one.warmup:.0%} of its value",
                help=f"3 to 10% of the run is usual: {max(1, round(one.total * 0.03))} to {max(1, round(one.total * 0.1))} steps",
                related=[(one.total_at, "the length of the run"), (one.made_at, "the schedule is made here")],
                numbers={"warmup_steps": one.warmup, "max_steps": one.total, "peak_fraction": one.total / one.warmup},
            )


def _length(run: RunContext) -> tuple[Setting | None, float, str]:
    """What says how long the run is, the most steps that it has, and both in words."""
    each = written_by(run, "max_steps_per_epoch") if trainer_of(run, ("torchtune",)) is not None else None
    if each is None:
        steps = run.setting("max_steps")
        return (steps, steps.value, f"'{as_written(steps)}'") if steps is not None and stated(steps) else (None, 0, "")
    count, epochs = number_of(each), run.setting("num_epochs")
    if count is None or epochs is None or not stated(epochs):
        return None, 0, ""
    return each, count * epochs.value, f"'{as_written(each)}'" + (f", {number_text(epochs.value)} epochs" if epochs.value > 1 else "")


def _share(run: RunContext, share: Setting) -> Finding:
    stops, cost = _cost_of(run, share)
    return run.finding(
        share,
        f"'{as_written(share)}' is more than the whole run: {cost}",
        help=f"a share of the run between 0 and 1, such as {number_text(share.value / 100)}",
        numbers={"warmup_fraction": share.value},
        severity=Severity.ERROR if stops else None,
    )


def _cost_of(run: RunContext, share: Setting) -> tuple[bool, str]:
    """Does it surely stop the run, and what it does in words."""
    if trainer_of(run) is None:
        return False, "the learning rate never reaches its value, or the program refuses it"
    newer = run.at_least("transformers", STEPS_SINCE)
    if newer is False:
        return True, f"transformers before {STEPS_SINCE} stops when the arguments are read"
    steps = f"{int(share.value)} step{'s' if share.value >= 2 else ''}"
    if newer:
        return False, f"transformers {STEPS_SINCE} and newer takes it as {steps} or does not know it"
    return False, f"transformers before {STEPS_SINCE} stops when the arguments are read, newer ones take it as {steps} or do not know it"


STEPS_SINCE = "5.0.0"
"""transformers that makes ``warmup_steps`` of it."""


RULE = Rule(
    code="BL307",
    name="warmup-longer-than-run",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    words=("warmup_steps", "warmup_ratio", "python_loop", "python_script", "python_trl_script"),
    harm=9.0,
)
