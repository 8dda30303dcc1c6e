"""LLaMA-Factory trains on a GPTQ or AWQ checkpoint under ZeRO-3 or FSDP.

## What it costs

The run stops when the model is loaded: "DeepSpeed ZeRO-3 or FSDP is incompatible with PTQ-quantized models". Packed integers cannot
be sharded; without sharding every GPU holds the whole base.

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4
stage: sft
do_train: true
finetuning_type: lora
template: qwen
per_device_train_batch_size: 1
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}
```

## Passing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-72B-Instruct
quantization_bit: 4
stage: sft
do_train: true
finetuning_type: lora
template: qwen
per_device_train_batch_size: 1
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}
```

## Sources

- llamafactory 0.9.5 `model/model_utils/quantization.py` `configure_quantization`; hiyouga/LLaMA-Factory#2939 (2x RTX 4090, a 72B
  GPTQ checkpoint).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity

from ._adapters import in_4_bits, packed_checkpoint

_SHARDED = ("zero3", "fsdp", "fsdp2")


def check(run: RunContext) -> Iterator[Finding]:
    model, shard, kind = run.setting("model"), run.setting("shard"), packed_checkpoint(run)
    if not kind or model is None or shard is None or shard.value not in _SHARDED:
        return
    size = "" if "int8" in str(model.value).lower() else in_4_bits(run)
    yield run.finding(
        model,
        f"the {kind} checkpoint {model.value}{size} cannot be sharded by {shard.value}: LLaMA-Factory stops when it loads the model",
        help="name the 16-bit checkpoint and write quantization_bit: 4, which can be sharded; or train without ZeRO-3 and FSDP",
        because=[shard],
    )


RULE = Rule(
    code="BL412",
    name="llamafactory-ptq-sharded",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=("llamafactory",),
    harm=6.5,
    stops=True,
)
