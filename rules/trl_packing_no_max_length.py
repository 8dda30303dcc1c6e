"""Packing without a length to pack to.

## What it costs

TRL stops after the data is loaded: "When packing is enabled, `max_length` can't be `None`."

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
packing: true
max_length: null
```

## Passing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
packing: true
max_length: 4096
```

## Sources

- TRL 0.15.2 (`max_seq_length`), 0.16.1 to 1.16.0 `trainer/sft_trainer.py` `_prepare_dataset`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    TRL_ARGUMENTS,
    Confidence,
    DocumentContext,
    Finding,
    Rule,
    Scalar,
    Severity,
    argument_entries,
    is_on,
    loads_with,
    written_in,
)


def check(document: DocumentContext) -> Iterator[Finding]:
    packing = written_in(document.reading, "packing")
    if packing is None or not is_on(packing) or document.value("task", "sft") != "sft":
        return
    for entry in argument_entries(document.reading):
        if entry.key.text == "max_length" and isinstance(entry.value, Scalar) and entry.value.value(loads_with(document.reading)) is None:
            yield document.finding(
                entry,
                f"packing with max_length {entry.value.text or 'null'}: TRL stops when it prepares the data",
                help="write the length of the packed rows",
                because=[packing],
            )


RULE = Rule(
    code="BL704",
    name="trl-packing-no-max-length",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=TRL_ARGUMENTS,
    applies="TRL >= 0.16.0",
    words=("max_length",),
    harm=3.0,
)
