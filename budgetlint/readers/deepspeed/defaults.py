"""What DeepSpeed fills in, by version.

Source: DeepSpeed 0.19.8 ``runtime/zero/config.py`` ``DeepSpeedZeroConfig``, ``zero/offload_config.py``, ``runtime/constants.py``,
``runtime/config.py`` ``_set_batch_related_parameters``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.readers.base import default, unsettled
from budgetlint.settings.run import Setting, Settings, Stack

_ZERO = "DeepSpeed DeepSpeedZeroConfig."
_SIZES: tuple[tuple[str, Any, str], ...] = (
    ("zero_bucket", 500_000_000, "reduce_bucket_size"),
    ("zero_allgather_bucket", 500_000_000, "allgather_bucket_size"),
    ("zero_contiguous", True, "contiguous_gradients"),
    ("zero_sub_group", 1_000_000_000, "sub_group_size"),
    ("zero_prefetch", 50_000_000, "stage3_prefetch_bucket_size"),
    ("zero_persistence", 100_000, "stage3_param_persistence_threshold"),
    ("zero_max_live", 1_000_000_000, "stage3_max_live_parameters"),
)


def deepspeed_defaults(settings: Settings, stack: Stack) -> Iterator[Setting]:
    yield default("shard", "ddp", _ZERO + "stage: 0")
    yield default("offload_optimizer", "none", _ZERO + "offload_optimizer")
    yield default("offload_params", "none", _ZERO + "offload_param")
    yield from (default(name, value, _ZERO + field) for name, value, field in _SIZES)
    yield from _overlap(settings)
    yield from _pinned(stack)
    yield default("engine_dtype", "fp32", "DeepSpeed fp16.enabled, bf16.enabled: false")
    yield default("loss_scale", 0.0, "DeepSpeed fp16.loss_scale: dynamic")
    yield clipping(stack)


def _overlap(settings: Settings) -> Iterator[Setting]:
    """``overlap_comm`` follows the stage (zero/config.py ``overlap_comm_valid``)."""
    shard = settings.get("shard")
    if shard is None or shard.known:
        yield default("zero_overlap", shard is not None and shard.value == "zero3", _ZERO + "overlap_comm: only at stage 3")


def _pinned(stack: Stack) -> Iterator[Setting]:
    """An unknown version leaves it open: what is page-locked only adds to what is offloaded."""
    newer = stack.at_least("deepspeed", "0.19.5")
    if newer is not None:
        for name in ("pin_optimizer", "pin_params"):
            yield default(name, newer, "DeepSpeed zero/offload_config.py pin_memory: false before 0.19.5, true since")


def clipping(stack: Stack) -> Setting:
    """Commit 442166559, released in 0.19.3."""
    note = "DeepSpeed gradient_clipping: 0 before 0.19.3, 1.0 since"
    newer = stack.at_least("deepspeed", "0.19.3")
    return unsettled("max_grad_norm", (1.0, 0.0), note) if newer is None else default("max_grad_norm", 1.0 if newer else 0.0, note)
