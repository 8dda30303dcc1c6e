"""A bare `no` as a strategy: YAML reads it as false, which is no strategy.

`no`, `off` and `false` are false, `yes` and `on` true, in the YAML that these programs read.

## What it costs

The run stops at start: "False is not a valid IntervalStrategy".

## Failing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
eval_strategy: no
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
eval_strategy: "no"
```

## Sources

- PyYAML 6.0 `resolver.py`; transformers 4.57.6 and 5.24.0 `training_args.py`: `IntervalStrategy(self.eval_strategy)` (run, through
  HfArgumentParser).
- TRL 1.16.0 `scripts/utils.py` `set_defaults_with_config`: argparse converts defaults that are text, and leaves false as it is.
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
    Scalar,
    Severity,
    argument_entries,
    arguments_home,
    loads_with,
)

STRATEGIES = ("eval_strategy", "evaluation_strategy", "save_strategy", "logging_strategy")


def check(document: DocumentContext) -> Iterator[Finding]:
    for entry in argument_entries(document.reading):
        if entry.key.text not in STRATEGIES or not isinstance(entry.value, Scalar):
            continue
        value, sure = entry.value.value(loads_with(document.reading)), not arguments_home(document.reading)
        if isinstance(value, bool):
            yield document.finding(
                entry,
                f"{entry.key.text} {entry.value.text} is read as {str(value).lower()}, not as a word: the run stops at start with "
                f"'{value} is not a valid IntervalStrategy'",
                help="steps or epoch" if value else f'{entry.key.text}: "no"',
                fixes=() if value else document.set(entry, "no", 'write "no" in quotes', safety=Safety.SAFE),
                severity=None if sure else Severity.WARNING,
                confidence=None if sure else Confidence.MEDIUM,
            )


RULE = Rule(
    code="BL611",
    name="yaml-bool-strategy",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="safe",
    formats=TRAINERS,
    words=STRATEGIES,
    harm=8.5,
    stops=True,
)
