"""`gradient_checkpointing` beside `activation_checkpointing`, its newer name, with another value.

Since transformers 5.23 the two are one switch, and the new name wins without a word. The older name alone works on, with a
deprecation warning, and goes with version 6; nothing is told of it here. LLaMA-Factory has a switch of its own.

## What it costs

Checkpointing is the opposite of what one of the lines says, and so is the memory of the activations.

## Failing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
gradient_checkpointing: true
activation_checkpointing: false
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
activation_checkpointing: true
```

## Sources

- transformers 5.24.0 `training_args.py` `__post_init__`: "deprecated aliases, used only when the new name is not set"; the new name is in
  5.23.0 and not in 5.22.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import PYTHON, Confidence, Finding, Rule, RunContext, Safety, Severity, is_off, is_on, trainer_of, written_by

NAMES = ("hf_training_arguments", "trl", "alignment_handbook")
SINCE = "5.23"


def check(run: RunContext) -> Iterator[Finding]:
    old = written_by(run, "gradient_checkpointing")
    if old is None or run.at_least("transformers", SINCE) is False or trainer_of(run, (*NAMES, *PYTHON)) is None:
        return
    new = written_by(run, "activation_checkpointing")
    if new is not None and ((is_on(old) and is_off(new)) or (is_off(old) and is_on(new))):
        yield run.finding(
            old,
            f"gradient_checkpointing {old.text} has no effect: activation_checkpointing {new.text} is its newer name and wins",
            help="keep activation_checkpointing alone",
            because=[new],
            fixes=run.delete(old, safety=Safety.SAFE),
        )


RULE = Rule(
    code="BL626",
    name="gradient-checkpointing-renamed",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="safe",
    formats=(*NAMES, *PYTHON),
    applies="transformers >= 5.23",
    words=("gradient_checkpointing",),
    harm=1.5,
)
