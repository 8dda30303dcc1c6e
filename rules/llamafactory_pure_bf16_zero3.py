"""LLaMA-Factory's `pure_bf16` together with DeepSpeed ZeRO-3.

## What it costs

The run stops when the arguments are read: "`pure_bf16` is incompatible with DeepSpeed ZeRO-3".

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-7B
stage: sft
do_train: true
finetuning_type: full
dataset: alpaca_en_demo
template: qwen
cutoff_len: 2048
output_dir: out
per_device_train_batch_size: 1
pure_bf16: true
deepspeed: ds.json
```

```json ds.json
{"train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 3}}
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-7B
stage: sft
do_train: true
finetuning_type: full
dataset: alpaca_en_demo
template: qwen
cutoff_len: 2048
output_dir: out
per_device_train_batch_size: 1
bf16: true
deepspeed: ds.json
```

```json ds.json
{"train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 3}, "bf16": {"enabled": "auto"}}
```

## Sources

- LLaMA-Factory 0.9.4 and 0.9.5 `hparams/parser.py` `get_train_args`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Safety, Severity, is_on, trainer_of, written_by


def check(run: RunContext) -> Iterator[Finding]:
    pure, shard = written_by(run, "pure_bf16"), run.setting("shard")
    if trainer_of(run, ("llamafactory",)) is None or pure is None or not is_on(pure) or shard is None or shard.value != "zero3":
        return
    yield run.finding(
        pure,
        f"pure_bf16 {pure.text} with DeepSpeed ZeRO-3: LLaMA-Factory stops when it reads the arguments",
        help="bf16: true",
        because=[shard],
        fixes=run.rename(pure, "bf16", safety=Safety.UNSAFE) if written_by(run, "bf16") is None else (),
    )


RULE = Rule(
    "BL219",
    "llamafactory-pure-bf16-zero3",
    Severity.ERROR,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    needs=("shard",),
    words=("pure_bf16",),
    harm=4.5,
)
