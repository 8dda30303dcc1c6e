"""`load_best_model_at_end` with different moments for evaluation and saving.

The best checkpoint can only be loaded if one was written at the moment of its evaluation. Only `save_strategy: best` is free.

## What it costs

The run stops at start: "--load_best_model_at_end requires the save and eval strategy to match".

## Failing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 3
eval_strategy: epoch
save_strategy: steps
load_best_model_at_end: true
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 3
eval_strategy: epoch
save_strategy: epoch
load_best_model_at_end: true
```

## Sources

- transformers 5.24.0 and 4.57.6 `training_args.py` `_validate_args` (4.x: `__post_init__`); `best` from 4.47.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    TRAINERS,
    Confidence,
    DocumentContext,
    Finding,
    Rule,
    Safety,
    Setting,
    Severity,
    is_on,
    may_hide_arguments,
    written_in,
)

from ._flags import may_be_elsewhere


def check(document: DocumentContext) -> Iterator[Finding]:
    wanted = written_in(document.reading, "load_best_model_at_end")
    evaluates = written_in(document.reading, "eval_strategy", "evaluation_strategy")
    saves = written_in(document.reading, "save_strategy")
    if wanted is None or not is_on(wanted) or any(setting is not None and not setting.known for setting in (evaluates, saves)):
        return
    left, right = _word(evaluates, "no"), _word(saves, "steps")
    if right == "best" or left == right:
        return
    both_written = evaluates is not None and saves is not None
    if not both_written and (may_hide_arguments(document.reading) or may_be_elsewhere(document)):
        return
    yield document.finding(
        saves or wanted,
        f"load_best_model_at_end with {_said('save_strategy', saves, right)} and {_said('eval_strategy', evaluates, left)}: "
        "the run stops at start",
        help=f"save_strategy: {left}" if left != "no" else f"eval_strategy: {right}",
        because=[setting for setting in (wanted, evaluates) if setting],
        fixes=document.set(saves, left, safety=Safety.UNSAFE) if saves and left != "no" else (),
        severity=None if both_written else Severity.WARNING,
        confidence=None if both_written else Confidence.MEDIUM,
    )


def _word(setting: Setting | None, default: str) -> str:
    """A bare ``no`` is false to YAML."""
    return default if setting is None else {"false": "no"}.get(str(setting.value).lower(), str(setting.value).lower())


def _said(key: str, setting: Setting | None, value: str) -> str:
    return f"{setting.name} {setting.text}" if setting else f"{key} not set (which is {value})"


RULE = Rule(
    code="BL602",
    name="load-best-strategy-mismatch",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=TRAINERS,
    flags=True,
    words=("load_best_model_at_end",),
    harm=8.5,
    stops=True,
)
