"""`auto_find_batch_size` under ZeRO-3.

After a failed attempt the Trainer starts again with a smaller batch in the same process, and ZeRO-3 cannot be set up twice.

## What it costs

The run stops at start: "`auto_find_batch_size` isn't supported yet with DeepSpeed Zero-3".

## Failing

```yaml train.yaml
per_device_train_batch_size: 8
gradient_accumulation_steps: 8
learning_rate: 0.00002
auto_find_batch_size: true
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 8
gradient_accumulation_steps: 8
learning_rate: 0.00002
auto_find_batch_size: true
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": "auto"}
```

## Sources

- transformers 5.24.0 `trainer.py` `create_accelerator_and_postprocess`; 4.45.2 is the first read that has the check (4.44.2 has not).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINER_RUNS, Confidence, Finding, Rule, RunContext, Safety, Severity, is_on, written_in


def check(run: RunContext) -> Iterator[Finding]:
    shard = run.setting("shard")
    if shard is None or shard.value != "zero3" or run.at_least("transformers", "4.45") is False:
        return
    found = (written_in(reading, "auto_find_batch_size") for reading in run.run.readings if reading.format in TRAINER_RUNS)
    search = next((one for one in found if one is not None and is_on(one)), None)
    if search is not None:
        yield run.finding(
            search,
            f"auto_find_batch_size: {search.text} under ZeRO-3: the Trainer stops at start",
            help="set per_device_train_batch_size yourself ('budgetlint estimate' says what fits), or use ZeRO-2",
            because=[shard],
            fixes=run.set(search, False, safety=Safety.UNSAFE),
        )


RULE = Rule(
    "BL520",
    "auto-find-batch-zero3",
    Severity.ERROR,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    needs=("shard",),
    applies="transformers >= 4.45",
    words=("auto_find_batch_size",),
    harm=5.0,
)
