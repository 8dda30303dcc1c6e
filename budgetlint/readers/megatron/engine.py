"""What Megatron's optimizer keeps, and where: dtypes of weights, gradients, master copy and states, and who holds which part.

Sources: megatron-core 0.16.1 ``optimizer/__init__.py``, ``optimizer/distrib_optimizer.py`` (fp32 master and states, split over the
data-parallel ranks), ``optimizer/optimizer_config.py`` (``decoupled_weight_decay: True``), ``distributed/param_and_grad_buffer.py``;
Megatron-LM ``arguments.py`` (``bf16`` turns ``accumulate_allreduce_grads_in_fp32`` on).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.readers.base import default, to_dtype, to_text
from budgetlint.readers.derived import derived
from budgetlint.readers.lookup import Lookup, renamed
from budgetlint.settings.run import Setting, Settings

_STAGES = {"0": "ddp", "1": "zero1", "2": "zero2", "3": "zero3"}
_SHARDED = {"no_shard": "ddp", "optim": "zero1", "optim_grads": "zero2", "optim_grads_params": "fsdp2"}
_BUCKETS = "megatron-core distributed/param_and_grad_buffer.py: buckets are views of the gradient buffer"


def read_precision(look: Lookup) -> Iterator[Setting]:
    """``bf16`` or ``fp16``: 16-bit weights, an fp32 master copy, and fp32 gradients where they accumulate in fp32 (bf16: always)."""
    for dtype in ("bf16", "fp16"):
        switch = look.switch(dtype)
        if switch is None or switch.value is False:
            continue
        yield renamed(switch, "weights_dtype", dtype)
        yield renamed(switch, "engine_dtype", dtype)
        yield renamed(switch, "master_dtype", "fp32")
        yield from _gradients(look, switch, dtype)
        return


def _gradients(look: Lookup, switch: Setting, dtype: str) -> Iterator[Setting]:
    stated = look.setting("grads_dtype", to_dtype, "main_grads_dtype")
    wide = look.switch("accumulate_allreduce_grads_in_fp32")
    if stated is not None:
        yield stated
    elif dtype == "bf16" or (wide is not None and wide.value):
        yield renamed(wide or switch, "grads_dtype", "fp32")


def read_states(look: Lookup) -> Iterator[Setting]:
    """``use_precision_aware_optimizer`` alone lets the two Adam moments be narrower than fp32."""
    aware = look.switch("use_precision_aware_optimizer")
    moments = look.setting("optimizer_state", to_dtype, "exp_avg_dtype")
    if aware is not None and aware.value and moments is not None and moments.value in ("bf16", "fp16", "fp8"):
        yield moments


def read_shard(look: Lookup, by_default: bool = False) -> Iterator[Setting]:
    """The distributed optimizer splits states and master copies (ZeRO 1); Megatron FSDP splits what its strategy says."""
    for key in ("use_megatron_fsdp", "use_custom_fsdp"):
        fsdp = look.switch(key)
        if fsdp is not None and fsdp.value:
            strategy = look.setting("shard", to_text, "data_parallel_sharding_strategy")
            yield renamed(strategy or fsdp, "shard", _SHARDED.get(str(strategy.value), "fsdp2") if strategy else "zero1")
            return
    torch_fsdp = look.switch("use_torch_fsdp2")
    if torch_fsdp is not None and torch_fsdp.value:
        yield renamed(torch_fsdp, "shard", "fsdp2")
        return
    stage = look.setting("shard", to_text, "zero_stage")  # Megatron-DeepSpeed: the same figure as in the DeepSpeed file
    if stage is not None and stage.value in _STAGES:
        yield renamed(stage, "shard", _STAGES[str(stage.value)])
        return
    split = look.switch("use_distributed_optimizer")
    if split is not None:
        yield renamed(split, "shard", "zero1" if split.value else "ddp")
    elif by_default:
        yield default("shard", "zero1", "use_distributed_optimizer: true")


def engine_defaults(settings: Settings) -> Iterator[Setting]:
    """No bucket buffers beside the gradient buffer; no gathered parameters to hold back."""
    yield default("model_code", "megatron", "megatron-core runs the model")
    if str(settings.value("shard", "")).startswith("zero") and not _by_deepspeed(settings):
        rows: tuple[tuple[str, Any], ...] = (("zero_bucket", 0), ("zero_allgather_bucket", 0), ("zero_overlap", False))
        yield from (default(name, value, _BUCKETS) for name, value in rows)


def _by_deepspeed(settings: Settings) -> bool:
    """Megatron-DeepSpeed's ``--zero-stage``, or the file's: DeepSpeed holds the buckets, by its own sizes (runtime/zero/config.py)."""
    key = settings["shard"].origin.key.lstrip("-").replace("-", "_")
    return key == "zero_stage" or key.startswith("zero_optimization")


def accumulation(settings: Settings) -> Iterator[Setting]:
    """Micro batches per step: what the global batch leaves to each data-parallel rank (num_microbatches_calculator.py)."""
    micro, whole = settings.value("micro_batch"), settings.value("global_batch")
    devices = settings.value("devices") or _devices(settings)
    split = 1
    for name in ("tensor_parallel", "pipeline_parallel", "context_parallel"):
        split *= settings.value(name, 1) or 1
    if micro and whole and devices and devices % split == 0 and whole % (micro * devices // split) == 0:
        steps = whole * split // (micro * devices)
        yield derived("grad_accum", max(1, steps), "global batch / (micro batch x data-parallel ranks)", settings["global_batch"])


def _devices(settings: Settings) -> int | None:
    per_node = settings.value("devices_per_node")
    return per_node * (settings.value("nodes", 1) or 1) if per_node else None
