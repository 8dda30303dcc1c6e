"""An 8-bit bitsandbytes base under FSDP.

FSDP shards floating tensors. 4-bit weights can be packed into a floating dtype, 8-bit ones cannot.

## What it costs

FSDP 1 stops when it wraps the model: "Cannot flatten integer dtype tensors". LLaMA-Factory stops before, under ZeRO-3 too; axolotl
refuses FSDP 2 with a quantised base for preference training.

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
stage: sft
do_train: true
finetuning_type: lora
template: qwen
quantization_bit: 8
per_device_train_batch_size: 1
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}
```

## Passing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
stage: sft
do_train: true
finetuning_type: lora
template: qwen
quantization_bit: 4
per_device_train_batch_size: 1
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}
```

## Sources

- torch 2.x `distributed/fsdp/_flat_param.py` `_validate_tensors_to_flatten`.
- llamafactory 0.9.5 `model/model_utils/quantization.py`: "Only 4-bit quantized model can use fsdp+qlora or auto device map".
- axolotl 0.18.0 `utils/schemas/validation.py` `check_fsdp2_base_model_quant_rl`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINER_RUNS, Confidence, Finding, Rule, RunContext, Severity, as_written, stated, written_by

_PREFERENCE = ("dpo", "kto", "orpo", "ipo")


def check(run: RunContext) -> Iterator[Finding]:
    quant, shard, trainer = run.setting("quant"), run.setting("shard"), run.run.trainer
    if quant is None or shard is None or not stated(quant) or not shard.known:
        return
    cost = _cost(run, trainer.format if trainer else "", quant.value, shard.value)
    if cost:
        yield run.finding(
            quant,
            f"'{as_written(quant)}' under {shard.value}: {cost}",
            help=_help(trainer.format if trainer else "", quant.value),
            because=[shard],
        )


def _cost(run: RunContext, trainer: str, quant: str, shard: str) -> str:
    """What stops, or nothing."""
    if quant == "int8" and trainer == "llamafactory" and shard in ("zero3", "fsdp", "fsdp2"):
        return "LLaMA-Factory stops, for only 4-bit weights can be sharded"
    if quant == "int8" and shard == "fsdp":
        return "FSDP 1 stops on the integer weights, which it cannot flatten"
    rl = written_by(run, "rl") if trainer == "axolotl" and shard == "fsdp2" and quant in ("int8", "nf4", "fp4") else None
    return f"axolotl refuses FSDP 2 with a quantised base for rl: {rl.text}" if rl is not None and rl.value in _PREFERENCE else ""


def _help(trainer: str, quant: str) -> str:
    if quant != "int8":
        return "set fsdp_version: 1, or take DeepSpeed"
    if trainer == "llamafactory":
        return "write quantization_bit: 4 (half the bytes, and sharded), or train without ZeRO-3 and FSDP"
    return "load in 4 bits with bnb_4bit_quant_storage: bfloat16 (half the bytes, and sharded), or train without sharding the base"


RULE = Rule(
    code="BL414",
    name="fsdp-8bit-base",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=TRAINER_RUNS,
    words=("shard=zero3", "shard=fsdp", "shard=fsdp2"),
    harm=7.0,
)
