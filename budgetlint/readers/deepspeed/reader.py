"""DeepSpeed JSON: the engine's part of a run.

Source: DeepSpeed 0.19.8 ``runtime/config.py`` (hjson, duplicate keys refused), ``runtime/zero/config.py``, ``offload_config.py``,
``precision_config.py``; ``runtime/engine.py`` ``_configure_basic_optimizer``.
"""

from __future__ import annotations

from typing import Any

from budgetlint.documents import Document, Loader, Mapping, Sequence
from budgetlint.readers.base import (
    AUTO,
    Key,
    Misread,
    Reader,
    Reading,
    Unreadable,
    read_keys,
    to_bool,
    to_count,
    to_dtype,
    to_float,
    to_int,
)
from budgetlint.readers.deepspeed.defaults import deepspeed_defaults
from budgetlint.readers.deepspeed.recognise import score
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.unmodelled import asks
from budgetlint.settings.run import Role, Settings

_STAGES = {0: "ddp", 1: "zero1", 2: "zero2", 3: "zero3"}


def to_stage(value: Any) -> Any:
    """``zero_optimization: true`` is the deprecated spelling of stage 1 (zero/config.py ``read_zero_config_deprecated``)."""
    if isinstance(value, Mapping):
        return None
    stage = _STAGES.get(to_int(int(value) if isinstance(value, bool) else value))
    if stage is None:
        raise Unreadable(f"{value} is no ZeRO stage", "write 0, 1, 2 or 3")
    return stage


def to_device(value: Any) -> Any:
    word = str(value).lower()
    if word not in ("none", "cpu", "nvme", "auto"):
        raise Unreadable(f"'{value}' is no offload device", "write none, cpu or nvme")
    return AUTO if word == AUTO else word


def _to_old_offload(value: Any) -> Any:
    """``cpu_offload: true``; a section there belongs to the newer name."""
    return None if isinstance(value, Mapping) else "cpu" if to_bool(value) else "none"


def to_size(value: Any) -> Any:
    """Element counts: ``5e8``, ``500000000`` or ``"auto"``."""
    number = to_int(value)
    if number is not AUTO and number < 0:
        raise Unreadable(f"{number} is negative", "write a number of elements")
    return number


def _beta(index: int) -> Any:
    def convert(value: Any) -> Any:
        if value == AUTO:
            return AUTO
        items = value.items if isinstance(value, Sequence) else ()
        if len(items) != 2:
            raise Unreadable("betas is no pair of numbers", "write [0.9, 0.999]")
        return to_float(getattr(items[index], "text", None))

    return convert


def _to_group(value: Any) -> Any:
    """Ranks of a group; DeepSpeed's own -1 and 1 say that there is none."""
    number = to_int(value)
    return number if number is AUTO or number > 1 else None


_ZERO = "zero_optimization."
_KEYS = (
    Key("train_batch_size", "global_batch", to_count),
    Key("train_micro_batch_size_per_gpu", "micro_batch", to_count),
    Key("gradient_accumulation_steps", "grad_accum", to_count),
    Key("gradient_clipping", "max_grad_norm", to_float),
    Key("sequence_parallel_size", "context_parallel", to_count),
    Key("tensor_parallel.autotp_size", "tensor_parallel", to_count),
    Key("data_types.grad_accum_dtype", "grads_dtype", to_dtype),
    Key("optimizer.params.lr", "learning_rate", to_float),
    Key("optimizer.params.weight_decay", "weight_decay", to_float),
    Key("optimizer.params.betas", "adam_beta1", _beta(0)),
    Key("optimizer.params.betas", "adam_beta2", _beta(1)),
    Key("optimizer.params.eps", "adam_epsilon", to_float),
    Key("zero_optimization", "shard", to_stage),
    Key(_ZERO + "stage", "shard", to_stage),
    Key(_ZERO + "cpu_offload", "offload_optimizer", _to_old_offload),
    Key(_ZERO + "cpu_offload_param", "offload_params", _to_old_offload),
    Key(_ZERO + "offload_optimizer.device", "offload_optimizer", to_device),
    Key(_ZERO + "offload_param.device", "offload_params", to_device),
    Key(_ZERO + "offload_optimizer.ratio", "offload_ratio", to_float),
    Key(_ZERO + "offload_optimizer.pin_memory", "pin_optimizer", to_bool),
    Key(_ZERO + "offload_param.pin_memory", "pin_params", to_bool),
    Key(_ZERO + "mics_shard_size", "shard_size", _to_group),
    Key(_ZERO + "zero_hpz_partition_size", "zero_secondary", _to_group),
    Key(_ZERO + "zero_quantized_nontrainable_weights", "unmodelled", asks("quantised-zero")),
    Key(_ZERO + "reduce_bucket_size", "zero_bucket", to_size),
    Key(_ZERO + "allgather_bucket_size", "zero_allgather_bucket", to_size),
    Key(_ZERO + "overlap_comm", "zero_overlap", to_bool),
    Key(_ZERO + "contiguous_gradients", "zero_contiguous", to_bool),
    Key(_ZERO + "sub_group_size", "zero_sub_group", to_size),
    Key(_ZERO + "prefetch_bucket_size", "zero_prefetch", to_size),
    Key(_ZERO + "stage3_prefetch_bucket_size", "zero_prefetch", to_size),
    Key(_ZERO + "param_persistence_threshold", "zero_persistence", to_size),
    Key(_ZERO + "stage3_param_persistence_threshold", "zero_persistence", to_size),
    Key(_ZERO + "max_live_parameters", "zero_max_live", to_size),
    Key(_ZERO + "stage3_max_live_parameters", "zero_max_live", to_size),
)
"""The unprefixed stage 3 names are the fields, the prefixed ones their aliases; both are read (``populate_by_name``)."""


def read(document: Document) -> Reading:
    settings, misreads = read_section(document, Loader.HJSON)
    return Reading("deepspeed", Role.ENGINE, document, settings, (), tuple(misreads))


def read_section(document: Document, loader: Loader, prefix: str = "") -> tuple[Settings, list[Misread]]:
    """The engine settings below ``prefix``: a whole DeepSpeed file, or one inside a trainer's or launcher's document."""
    from budgetlint.readers.deepspeed.optimizer import read_engine_optimizer  # many files look like its own, few are
    from budgetlint.readers.deepspeed.precision import read_engine_precision

    settings, misreads = read_keys(document, loader, _KEYS, prefix)
    look = Lookup(document, loader, prefix, misreads)
    return Settings([*settings, *read_engine_precision(look), *read_engine_optimizer(look)]), misreads


READER = Reader("deepspeed", Role.ENGINE, Loader.HJSON, score, read, deepspeed_defaults, "deepspeed")
