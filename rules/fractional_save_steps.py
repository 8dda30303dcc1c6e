"""A number of steps above 1 that is not whole.

Below 1 it is a part of the run (0.25: four times), from 1 on it counts steps.

## What it costs

The run stops when its arguments are read: "--save_steps must be an integer if bigger than 1".

## Failing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: steps
save_steps: 2.5
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: steps
save_steps: 0.25
```

## Sources

- transformers 4.41.0, 4.57.6 and 5.24.0 `training_args.py`: asked under the strategy steps only.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base import numerals
from budgetlint.rule import (
    PYTHON,
    TRAINERS_AND_AXOLOTL,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Safety,
    Severity,
    number_of,
    trainer_of,
    written_by,
)

from ._moments import evaluation, logging, saving


def check(run: RunContext) -> Iterator[Finding]:
    trainer = trainer_of(run, TRAINERS_AND_AXOLOTL)
    if trainer is None:
        return
    for name, moment in (("eval_steps", evaluation), ("save_steps", saving), ("logging_steps", logging)):
        every = written_by(run, name)
        steps = number_of(every)
        endless = every is not None and _is_endless(every.value)
        if every is None or not (endless or (steps is not None and steps > 1 and steps != int(steps))):
            continue
        strategy, word = moment(run)
        if word == "steps" or (trainer.format == "axolotl" and strategy is None):
            yield run.finding(
                every,
                f"{name} {every.text} is no whole number of steps, and no part of the run: it stops at start",
                help=f"{name}: {int(steps or 500)}, or a part of the run below 1",
                because=[strategy] if strategy else (),
                fixes=run.set(every, int(steps), safety=Safety.UNSAFE) if steps else (),
                numbers={name: steps} if steps else {},
            )


def _is_endless(value: object) -> bool:
    """``int()`` of infinity raises where the whole number is asked for; nan and less than nothing are not above 1."""
    return numerals.is_endless(value) and (not isinstance(value, float) or value > 1)


RULE = Rule(
    code="BL628",
    name="fractional-save-steps",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=(*TRAINERS_AND_AXOLOTL, *PYTHON),
    words=("eval_steps", "save_steps", "logging_steps"),
    harm=-0.5,
    stops=True,
)
