"""FSDP with a 4-bit base whose packed storage is no floating dtype.

FSDP shards floating tensors only. bitsandbytes stores packed weights as uint8 unless `bnb_4bit_quant_storage` says otherwise; axolotl
and LLaMA-Factory say so by themselves.

## What it costs

FSDP 1 stops: "Must flatten tensors with uniform dtype". FSDP 2 leaves the packed weights out with a warning: every GPU keeps the
whole base, and the memory plan is wrong by the number of devices.

## Failing

```yaml train.yaml
model_name_or_path: meta-llama/Llama-2-70b-hf
dataset_name: data
use_peft: true
load_in_4bit: true
bf16: true
dtype: bfloat16
bnb_4bit_quant_storage: uint8
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
fsdp: full_shard auto_wrap
```

## Passing

```yaml train.yaml
model_name_or_path: meta-llama/Llama-2-70b-hf
dataset_name: data
use_peft: true
load_in_4bit: true
bf16: true
dtype: bfloat16
bnb_4bit_quant_storage: bfloat16
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
fsdp: full_shard auto_wrap
```

## Sources

- PEFT 0.21.2 docs `accelerate/fsdp.md`; accelerate 1.15.0 `utils/fsdp_utils.py` (Params4bit are excluded from FSDP 2).
- TRL 0.26.0 `trainer/model_config.py` `bnb_4bit_quant_storage`: unset, which is uint8; before, the model's dtype was passed.
- <https://github.com/OpenAccess-AI-Collective/axolotl/issues/1482>.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRL_FORMATS, Confidence, Finding, Rule, RunContext, Setting, Severity, as_written, stated

from ._adapters import in_4_bits

_PACKED = ("uint8", "int8")


def check(run: RunContext) -> Iterator[Finding]:
    quant, storage, shard = run.setting("quant"), run.setting("quant_storage"), run.setting("shard")
    if quant is None or storage is None or shard is None or quant.value not in ("nf4", "fp4") or storage.value not in _PACKED:
        return
    kinds = {shard.value, *shard.readings}
    sure = stated(storage) or _default_is_known(run)
    if not kinds & {"fsdp", "fsdp2"} or not stated(quant) or sure is False:
        return
    yield run.finding(
        storage if stated(storage) else quant,
        f"'{as_written(quant)}' under FSDP stores packed weights as {storage.value}: {_cost(run, shard)}",
        help="write bnb_4bit_quant_storage: bfloat16, the dtype of the other weights",
        because=[shard, storage],
        severity=Severity.ERROR if sure else Severity.WARNING,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
    )


def _default_is_known(run: RunContext) -> bool | None:
    """Does this run's library really leave uint8? None where its version is not known."""
    trainer = run.run.trainer
    return run.at_least("trl", "0.26.0") if trainer is not None and trainer.format in TRL_FORMATS else True


def _cost(run: RunContext, shard: Setting) -> str:
    first, second = "FSDP 1 stops on mixed dtypes", f"FSDP 2 cannot shard them, so every GPU keeps the whole base{in_4_bits(run)}"
    if shard.known:
        return second if shard.value == "fsdp2" else first
    return f"{first}, {second}"


RULE = Rule(
    code="BL405",
    name="fsdp-qlora-quant-storage",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("quant", "quant_storage"),
    words=("shard=fsdp", "shard=fsdp2"),
    harm=11.5,
)
