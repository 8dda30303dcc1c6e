"""`max_steps` is set, so the number of epochs has no effect.

A positive `max_steps` wins without a warning, and the learning rate schedule is stretched over it.

## What it costs

A limit left over from a trial ends the real run early, with the learning rate already at its end.

## Failing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
save_strategy: epoch
num_train_epochs: 3
max_steps: 100
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
save_strategy: epoch
num_train_epochs: 3
max_steps: -1
```

## When it is meant

A flag that limits a program whose epochs are written elsewhere, defaults of a program's own flags, one epoch beside the steps in a
program; none is told.

## Sources

- transformers 5.24.0 `trainer.py` `set_initial_training_values`; the same in 4.57.6.
- ms-swift 2.6.1, 3.5.0 and 4.6.0: both are arguments of that Trainer; its Megatron part has `train_iters` and is not told.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import PYTHON, TRAINERS, Confidence, DocumentContext, Finding, Rule, Setting, Severity, number_of, written_in

from ._scripts import is_literal


def check(document: DocumentContext) -> Iterator[Finding]:
    steps = written_in(document.reading, "max_steps")
    epochs = written_in(document.reading, "num_epochs" if document.format == "axolotl" else "num_train_epochs")
    limit, passes = number_of(steps), number_of(epochs)
    if steps is None or epochs is None or limit is None or passes is None or limit <= 0 or _is_what_the_flag_is_for(steps, epochs):
        return
    consumer = document.reading.consumer
    is_less = passes > limit and (consumer is None or consumer.followed)
    if passes <= 1 and document.format in PYTHON and not is_less:
        return  # one epoch and so many steps beside it in a program: whoever writes both there counts in steps
    yield document.finding(
        steps,
        f"max_steps {steps.text} makes {epochs.name} {epochs.text} have no effect: the run ends after {int(limit):,} optimizer steps",
        help="keep one of them; -1 leaves it to the epochs",
        because=[epochs],
        severity=Severity.WARNING if is_less else None,
    )


def _is_what_the_flag_is_for(steps: Setting, epochs: Setting) -> bool:
    """The launch says the steps, and a program or its file the epochs; or either is a default that the program has."""
    return steps.origin.source is not epochs.origin.source or not (is_literal(steps) and is_literal(epochs))


RULE = Rule(
    code="BL604",
    name="max-steps-overrides-epochs",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=(*TRAINERS, "axolotl", "ms_swift"),
    flags=True,
    words=("max_steps",),
    harm=12.0,
)
