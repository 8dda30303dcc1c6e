"""`save_steps` or `eval_steps` is larger than `max_steps`.

The interval never comes round. The last step writes a checkpoint all the same, and from transformers 5.10 on (5.0 does not) it is
evaluated too.

## What it costs

No evaluation shows whether the run goes wrong, and a crash loses all of it.

## Failing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
max_steps: 300
eval_strategy: steps
eval_steps: 500
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
max_steps: 300
eval_strategy: steps
eval_steps: 100
```

## When it is meant

`max_steps + 1` is how to save nothing before the end; it is not told.

## Sources

- transformers 4.57.6, 5.0.0, 5.10.2 and 5.24.0 `trainer_callback.py` `DefaultFlowCallback.on_step_end`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    PYTHON,
    TRAINERS,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Severity,
    number_of,
    number_text,
    trainer_of,
    written_by,
)

from ._moments import evaluation, saving


def check(run: RunContext) -> Iterator[Finding]:
    limit = written_by(run, "max_steps")
    most = number_of(limit)
    if trainer_of(run) is None or limit is None or most is None or most <= 0:
        return
    once = run.at_least("transformers", "5.10") is True
    for (_, word), name, cost, severity in (
        (evaluation(run), "eval_steps", "it evaluates at its end only" if once else "it never evaluates", Severity.WARNING),
        (saving(run), "save_steps", "nothing is saved before its end", Severity.INFO),
    ):
        every = written_by(run, name)
        steps = number_of(every)
        if every is not None and steps is not None and word == "steps" and steps > most and steps != most + 1:
            yield run.finding(
                every,
                f"{name} {every.text} in a run of {number_text(most)} steps: {cost}",
                help=f"{name}: {max(1, int(most) // 5)}, or no more than max_steps",
                because=[limit],
                severity=severity,
                numbers={"interval_steps": steps, "max_steps": most},
            )


RULE = Rule(
    code="BL610",
    name="save-steps-gt-max-steps",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=(*TRAINERS, *PYTHON),
    applies="all versions; transformers >= 5.10 evaluates once, at the end",
    words=("max_steps",),
    harm=9.0,
)
