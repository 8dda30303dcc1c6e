"""`gradient_checkpointing` is called `activation_checkpointing` since transformers 5.23.

The old name still works and warns; it goes with version 6. Where both stand with different values the new one wins without a word.
LLaMA-Factory has a switch of its own.

## What it costs

With both: checkpointing is the opposite of what one of the lines says, and so is the memory of the activations.

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

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Safety, Severity

from ._adapters import PYTHON
from ._common import is_on
from ._keys import is_off
from ._scripts import any_trainer, told

NAMES = ("hf_training_arguments", "trl", "alignment_handbook")
SINCE = "5.23"


def check(run: RunContext) -> Iterator[Finding]:
    old, known = told(run, "gradient_checkpointing"), run.at_least("transformers", SINCE)
    if old is None or known is False or any_trainer(run, NAMES) is None:
        return
    new = told(run, "activation_checkpointing")
    if new is not None and ((is_on(old) and is_off(new)) or (is_off(old) and is_on(new))):
        yield run.finding(
            old,
            f"gradient_checkpointing {old.text} has no effect: activation_checkpointing {new.text} is its newer name and wins",
            help="keep activation_checkpointing alone",
            because=[new],
            fixes=run.delete(old),
        )
    elif new is None and known:
        yield run.finding(
            old,
            f"gradient_checkpointing {old.text}: called activation_checkpointing since transformers {SINCE}, and gone in 6",
            help=f"activation_checkpointing: {old.text}",
            fixes=run.rename(old, "activation_checkpointing", safety=Safety.UNSAFE),
            severity=Severity.INFO,
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
)
