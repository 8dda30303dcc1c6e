"""DeepSpeed's batch sizes, whose product is not what the launch makes of them.

`train_batch_size` is micro batch x accumulation x data-parallel processes. `ds-batch-arithmetic` looks at the file alone; this rule knows
how many processes the command starts.

## What it costs

DeepSpeed stops when the engine is made ("Check batch related parameters").

## Failing

```sh run.sh
deepspeed --num_gpus 8 train.py --deepspeed ds.json --model_name_or_path Qwen/Qwen2.5-1.5B --output_dir out \
  --per_device_train_batch_size 4 \
  --gradient_accumulation_steps 4 --num_train_epochs 1 --learning_rate 1e-5
```

```json ds.json
{
  "train_batch_size": 64,
  "train_micro_batch_size_per_gpu": 4,
  "gradient_accumulation_steps": 4,
  "zero_optimization": {"stage": 2},
  "bf16": {"enabled": true}
}
```

## Passing

```sh run.sh
deepspeed --num_gpus 8 train.py --deepspeed ds.json --model_name_or_path Qwen/Qwen2.5-1.5B --output_dir out \
  --per_device_train_batch_size 4 \
  --gradient_accumulation_steps 4 --num_train_epochs 1 --learning_rate 1e-5
```

```json ds.json
{
  "train_batch_size": 128,
  "train_micro_batch_size_per_gpu": 4,
  "gradient_accumulation_steps": 4,
  "zero_optimization": {"stage": 2},
  "bf16": {"enabled": true}
}
```

## Sources

- DeepSpeed 0.13.5 and 0.19.8 `runtime/config.py` `_set_batch_related_parameters` and `_batch_assertion`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, number_of, written_in

PARALLEL = ("tensor_parallel", "pipeline_parallel", "sequence_parallel", "context_parallel")
"""Degrees that make fewer ranks of data of the same processes."""


def check(run: RunContext) -> Iterator[Finding]:
    file, devices = run.reading("deepspeed"), run.setting("devices")
    if file is None or devices is None or not devices.known or not _is_launched(run) or int(devices.value) < 1:
        return
    if any(run.value(name, 1) not in (1, None) for name in PARALLEL):
        return
    whole, micro, steps = (
        written_in(file, name) for name in ("train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps")
    )
    total, each, times = number_of(whole), number_of(micro), number_of(steps)
    if whole is None or total is None or each is None or (steps is not None and times is None):
        return
    world, step = int(devices.value), each * int(devices.value)
    if (times is None and total % step == 0) or (times is not None and total == step * times):
        return
    made = f"{each:g} x {times:g} x {world} processes are {step * times:g}" if times is not None else f"no multiple of {each:g} x {world}"
    yield run.finding(
        whole,
        f"train_batch_size {total:g}, and {made}: DeepSpeed stops when the engine is made",
        help=f"train_batch_size: {step * (times or max(1, total // step)):g}",
        because=[one for one in (micro, steps, devices) if one is not None],
        numbers={"train_batch_size": total, "micro_batch": each, "processes": world},
    )


def _is_launched(run: RunContext) -> bool:
    """Does a launcher say how many processes there are?"""
    return any((one := run.setting(name)) is not None and one.known and not one.is_default for name in ("devices", "devices_per_node"))


RULE = Rule(
    code="BL536",
    name="ds-batch-product",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    words=("train_batch_size",),
    harm=8.0,
)
