"""A polynomial schedule that begins no higher than it ends.

It ends at `lr_end`, which is 1e-7 unless `lr_scheduler_kwargs` says otherwise.

## What it costs

The run stops after the model is loaded: "lr_end must be smaller than initial lr".

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
learning_rate: 0.00000005
lr_scheduler_type: polynomial
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
learning_rate: 0.00000005
lr_scheduler_type: polynomial
lr_scheduler_kwargs: {lr_end: 0.0}
```

## Sources

- transformers 4.41.0 and 5.24.0 `optimization.py` `get_polynomial_decay_schedule_with_warmup`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base import numerals
from budgetlint.rule import (
    TRAINERS_AND_AXOLOTL,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Severity,
    keys_under,
    number_text,
    stated,
    trainer_of,
)

END = 1e-7


def check(run: RunContext) -> Iterator[Finding]:
    schedule, rate = run.setting("lr_scheduler"), run.setting("learning_rate")
    if trainer_of(run, TRAINERS_AND_AXOLOTL) is None or schedule is None or not stated(schedule) or schedule.text != "polynomial":
        return
    given = keys_under(run, "lr_scheduler_kwargs")
    end = _number(given.get("lr_end", str(END))) if given is not None else None
    if rate is None or not rate.known or end is None or rate.value > end:
        return
    yield run.finding(
        rate if stated(rate) else schedule,
        f"learning_rate {number_text(rate.value)} is not above lr_end {number_text(end)} of the polynomial schedule: "
        "the run stops when the schedule is built",
        help="lr_scheduler_kwargs: {lr_end: 0.0}, or a higher learning rate",
        because=[schedule, rate],
        numbers={"learning_rate": rate.value, "lr_end": end},
    )


_number = numerals.real


RULE = Rule(
    code="BL327",
    name="polynomial-lr-end",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("lr_scheduler", "learning_rate"),
    words=("lr_scheduler=polynomial",),
    harm=3.5,
)
