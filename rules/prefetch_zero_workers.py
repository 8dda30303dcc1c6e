"""`dataloader_prefetch_factor` without worker processes.

Batches are fetched ahead by workers; `dataloader_num_workers` is 0 by default.

## What it costs

The run stops when its arguments are read.

## Failing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
dataloader_prefetch_factor: 4
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
dataloader_prefetch_factor: 4
dataloader_num_workers: 4
```

## Sources

- transformers 4.41.0, 4.57.6 and 5.24.0 `training_args.py`: "--dataloader_prefetch_factor can only be set when data is loaded in a
  different process".
- axolotl 0.19.0 `utils/schemas/config.py`: the number of workers is filled in only where no prefetch factor is written.
"""

from __future__ import annotations

from collections.abc import Iterator

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


def check(run: RunContext) -> Iterator[Finding]:
    ahead = written_by(run, "dataloader_prefetch_factor")
    if ahead is None or number_of(ahead) is None or trainer_of(run, TRAINERS_AND_AXOLOTL) is None:
        return
    workers = written_by(run, "dataloader_num_workers")
    if workers is not None and number_of(workers) != 0:
        return
    yield run.finding(
        ahead,
        f"dataloader_prefetch_factor {ahead.text} and dataloader_num_workers is {workers.text if workers else '0 (not set)'}: "
        "the run stops at start",
        help="dataloader_num_workers: 4, or no prefetch factor",
        because=[workers] if workers else (),
        fixes=run.delete(ahead, safety=Safety.UNSAFE),
    )


RULE = Rule(
    code="BL625",
    name="prefetch-zero-workers",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=(*TRAINERS_AND_AXOLOTL, *PYTHON),
    words=("dataloader_prefetch_factor",),
    harm=2.5,
    stops=True,
)
