"""The DeepSpeed file has no `gradient_accumulation_steps`, and the trainer accumulates.

accelerate writes 1 into a DeepSpeed file that leaves the key out. Native DeepSpeed works it out from `train_batch_size`
instead; a Hugging Face trainer does not get that far.

## What it costs

With `train_batch_size` in the file the run stops: the product of micro batch, 1 and the processes is not that number. Without it,
accelerate before 1.8 steps after every micro batch: the effective batch is a fraction of the one asked for, without a message.

## Failing

```yaml train.yaml
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
learning_rate: 0.00002
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2}, "train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto"}
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
learning_rate: 0.00002
deepspeed: ds.json
```

```json ds.json
{
  "zero_optimization": {"stage": 2},
  "train_batch_size": "auto",
  "train_micro_batch_size_per_gpu": "auto",
  "gradient_accumulation_steps": "auto"
}
```

## Sources

- accelerate 1.15.0 `utils/dataclasses.py` `DeepSpeedPlugin`: a missing key becomes 1; 1.8.0 `utils/deepspeed.py` is the first that
  sets the accumulation boundary itself.
- transformers 5.24.0 and 4.57.6 `integrations/deepspeed.py` `trainer_config_process`: "auto" of `train_batch_size` is filled in with
  the trainer's accumulation, a missing key is not; `propagate_args_to_deepspeed` for a file that accelerate names.
- deepspeed 0.19.8 `runtime/config.py` `_batch_assertion`.
- yuvalkirstain/PickScore#18: accumulation 16 became 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.rule import (
    TRAINER_RUNS,
    Confidence,
    Finding,
    Location,
    Reading,
    Rule,
    RunContext,
    Safety,
    Setting,
    Severity,
    is_own_script,
    stated,
    written_in,
)

KEY = "gradient_accumulation_steps"


def check(run: RunContext) -> Iterator[Finding]:
    trainer, engine, steps = run.run.trainer, run.reading("deepspeed"), run.setting("grad_accum")
    if trainer is None or engine is None or trainer.format not in TRAINER_RUNS or is_own_script(trainer.settings):
        return
    if steps is None or not stated(steps) or steps.value < 2 or engine.document.mapping is None or KEY in engine.document.mapping:
        return
    cost, more = _cost(run, trainer, engine, steps.value)
    if cost:
        yield _finding(run, engine, steps, cost, **more)


def _cost(run: RunContext, trainer: Reading, engine: Reading, steps: int) -> tuple[str, dict[str, Any]]:
    if written_in(trainer, "deepspeed") is None:
        return "the Trainer stops at start", {}
    if written_in(engine, "train_batch_size") is not None:
        return "train_batch_size no longer matches and DeepSpeed stops at start", {}
    newer = run.at_least("accelerate", "1.8.0")
    every = f"the optimizer steps after every micro batch, and the batch is 1/{steps} of what was asked for"
    if newer is None:
        return f"before accelerate 1.8 {every}", {"severity": Severity.INFO, "confidence": Confidence.MEDIUM}
    return ("", {}) if newer else (every, {"severity": Severity.WARNING})


def _finding(run: RunContext, engine: Reading, steps: Setting, cost: str, **more: Any) -> Finding:
    beside = written_in(engine, "train_micro_batch_size_per_gpu", "train_batch_size", "zero_optimization")
    return run.finding(
        beside or Location(engine.document.path),
        f"no {KEY} here, which accelerate reads as 1, while the trainer asks for {steps.value}: {cost}",
        help=f'"{KEY}": "auto"',
        because=[steps],
        fixes=run.insert_after(beside, KEY, "auto", safety=Safety.UNSAFE) if beside else (),
        numbers={"asked_steps": steps.value, "engine_steps": 1},
        key=KEY,
        value="",
        **more,
    )


RULE = Rule(
    "BL511",
    "ds-ga-missing",
    Severity.ERROR,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    needs=("grad_accum",),
    formats=("deepspeed",),
    applies="accelerate < 1.8 where train_batch_size is left out; else all versions",
    harm=13.0,
)
