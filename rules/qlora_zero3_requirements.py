"""A 4-bit base under ZeRO-3 whose packed storage is no floating dtype, or that accelerate does not shard while it loads.

ZeRO-3 partitions the packed weights only in a floating dtype, the one of the other weights. accelerate's `zero3_init_flag: false`
builds the whole model in every process first.

## What it costs

Every GPU holds the whole base, or the first step stops on dtypes. With `zero3_init_flag: false` each process holds the whole base while
it loads.

## Failing

```yaml train.yaml
model_name_or_path: meta-llama/Llama-2-70b-hf
dataset_name: data
use_peft: true
load_in_4bit: true
bnb_4bit_quant_storage: uint8
dtype: bfloat16
bf16: true
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
logging_steps: 10
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}
```

## Passing

```yaml train.yaml
model_name_or_path: meta-llama/Llama-2-70b-hf
dataset_name: data
use_peft: true
load_in_4bit: true
bnb_4bit_quant_storage: bfloat16
dtype: bfloat16
bf16: true
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
logging_steps: 10
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}
```

## Sources

- PEFT 0.21.2 docs `accelerate/deepspeed.md`, "Use PEFT QLoRA and DeepSpeed with ZeRO3": storage dtype equal to the dtype, and
  `zero3_init_flag` true.
- accelerate 1.15.0 `utils/dataclasses.py` `DeepSpeedPlugin.zero3_init_flag`.
- TRL 0.26.0 `trainer/model_config.py` `bnb_4bit_quant_storage`: unset, which is uint8; before, the model's dtype was passed.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    PYTHON,
    TRAINER_RUNS,
    TRL_FORMATS,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Setting,
    Severity,
    as_written,
    stated,
    written_in,
)

from ._adapters import in_4_bits

_PACKED = ("uint8", "int8")


def check(run: RunContext) -> Iterator[Finding]:
    quant, shard = run.setting("quant"), run.setting("shard")
    if quant is None or shard is None or quant.value not in ("nf4", "fp4") or shard.value != "zero3" or not stated(quant):
        return
    yield from _storage(run, quant, shard)
    yield from _init_flag(run, quant)


def _storage(run: RunContext, quant: Setting, shard: Setting) -> Iterator[Finding]:
    storage = run.setting("quant_storage")
    if storage is None or storage.value not in _PACKED:
        return
    if not stated(storage) and not _default_is_known(run):
        return
    yield run.finding(
        storage if stated(storage) else quant,
        f"'{as_written(quant)}' under ZeRO-3 stores packed weights as {storage.value}, which ZeRO-3 does not shard: "
        f"every GPU holds the whole base{in_4_bits(run)}",
        help="write bnb_4bit_quant_storage: bfloat16, the dtype of the other weights",
        because=[shard, storage],
    )


def _default_is_known(run: RunContext) -> bool:
    """A script that is seen leaves uint8, and so does TRL from 0.26; one behind a plain file may pass anything."""
    trainer = run.run.trainer
    if trainer is None or trainer.format in PYTHON:
        return trainer is not None
    return trainer.format in TRL_FORMATS and bool(run.at_least("trl", "0.26.0"))


def _init_flag(run: RunContext, quant: Setting) -> Iterator[Finding]:
    launchers = [one for one in run.run.readings if one.format == "accelerate"]  # the command, then its file
    flag = next((one for each in launchers if (one := written_in(each, "deepspeed_config.zero3_init_flag")) is not None), None)
    if flag is not None and flag.value is False:
        yield run.finding(
            flag,
            f"zero3_init_flag false with a 4-bit base: every process loads the whole base{in_4_bits(run)} before ZeRO-3 shards it",
            help="zero3_init_flag: true",
            because=[quant],
        )


RULE = Rule(
    code="BL415",
    name="qlora-zero3-requirements",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=TRAINER_RUNS,
    words=("shard=zero3",),
    harm=11.5,
)
