"""LLaMA-Factory with `use_unsloth` under DeepSpeed ZeRO-3.

## What it costs

The run stops when the arguments are read: "Unsloth is incompatible with DeepSpeed ZeRO-3".

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-7B
stage: sft
do_train: true
finetuning_type: lora
template: qwen
use_unsloth: true
per_device_train_batch_size: 1
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}
```

## Passing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-7B
stage: sft
do_train: true
finetuning_type: lora
template: qwen
use_unsloth: true
per_device_train_batch_size: 1
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": "auto"}
```

## Sources

- llamafactory 0.9.5 and 0.9.4 `hparams/parser.py` `get_train_args`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, is_on, written_by


def check(run: RunContext) -> Iterator[Finding]:
    switch, shard = written_by(run, "use_unsloth"), run.setting("shard")
    if switch is None or not is_on(switch) or shard is None or shard.value != "zero3":
        return
    yield run.finding(
        switch,
        f"'use_unsloth: {switch.text}' under DeepSpeed ZeRO-3: LLaMA-Factory stops when it reads the arguments",
        help="take ZeRO stage 0 or 2 (Unsloth trains one copy of the model on each GPU), or remove use_unsloth",
        because=[shard],
    )


RULE = Rule(
    code="BL425",
    name="unsloth-zero3",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=("llamafactory",),
    words=("use_unsloth",),
    harm=4.5,
    stops=True,
)
