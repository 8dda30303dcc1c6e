"""accelerate's keys by section. A section counts only when ``distributed_type`` asks for it.

Sources: accelerate 1.15.0 ``commands/config/config_args.py`` ClusterConfig, ``commands/launch.py`` _validate_launch_command (a
``fsdp_config`` key without ``fsdp_`` gets it, a ``dynamo_config`` key ``dynamo_``), ``utils/launch.py``, ``utils/dataclasses.py``.
"""

from __future__ import annotations

from typing import Any

from budgetlint.readers.base import AUTO, Key, Unreadable, to_bool, to_count, to_float, to_int
from budgetlint.readers.fsdp_words import fsdp_keys, to_strategy


def to_processes(value: Any) -> Any:
    """-1 is the class's own default: the launch command has to say it."""
    number = to_int(value)
    return AUTO if number == -1 else to_count(value)


def to_autocast(value: Any) -> Any:
    """A bare ``no`` reaches accelerate as false."""
    word = {"false": "no"}.get(str(value).lower(), str(value).lower())
    if word not in ("no", "none", "fp16", "bf16", "fp8"):
        raise Unreadable(f"'{value}' is no mixed precision of accelerate", "write no, fp16, bf16 or fp8")
    return "none" if word in ("no", "none") else word


def to_engine(value: Any) -> Any:
    """The DeepSpeed engine keeps its weights in the mixed precision; fp8 rests on bf16 (DeepSpeedPlugin.set_mixed_precision)."""
    return {"none": "fp32", "fp8": "bf16"}.get(to_autocast(value), to_autocast(value))


def to_compile(value: Any) -> Any:
    """A backend name; ``NO`` (or a bare no, false to YAML) is off. The eager ones run the graph as it is and generate no code (torch 2.13
    ``_dynamo/backends/debugging.py`` eager, aot_eager)."""
    return str(value).strip().lower() not in ("no", "false", "none", "", "eager", "aot_eager")


def to_regions(value: Any) -> Any:
    """accelerate 1.15.0 utils/other.py ``compile_regions``: the repeated blocks each for itself; what lies around them, the loss among it,
    stays as it is but for modules that have no blocks."""
    return ("layers",) if to_bool(value) is True else None


def to_old_fp16(value: Any) -> Any:
    return "fp16" if to_bool(value) is True else "none"


def to_place(value: Any) -> Any:
    """A bare ``none`` is text to YAML, a bare ``no`` false."""
    word = {"false": "none", "no": "none"}.get(str(value).lower(), str(value).lower())
    if word not in ("none", "cpu", "nvme"):
        raise Unreadable(f"'{value}' is no place to offload to", "write none, cpu or nvme")
    return word


def to_zero(value: Any) -> Any:
    stage = to_int(value)
    if not isinstance(stage, int):
        return stage
    if stage not in (0, 1, 2, 3):
        raise Unreadable(f"there is no ZeRO stage {stage}", "write 0, 1, 2 or 3")
    return f"zero{stage}" if stage else "ddp"


def to_granularity(value: Any) -> Any:
    return str(value).lower() if str(value).lower() in ("full", "selective") else None


def to_selective(value: Any) -> Any:
    return "selective" if to_bool(value) is True else None


ALWAYS = (
    Key("fp16", "autocast", to_old_fp16),
    Key("mixed_precision", "autocast", to_autocast),
    Key("num_machines", "nodes", to_count),
    Key("dynamo_backend", "compile", to_compile),
    Key("dynamo_config.backend", "compile", to_compile),
    Key("dynamo_config.dynamo_backend", "compile", to_compile),
    Key("dynamo_config.use_regional_compilation", "compile_parts", to_regions),
    Key("dynamo_config.dynamo_use_regional_compilation", "compile_parts", to_regions),
)
_UNMODELLED = {"tpu": ("xla",), "xla": ("xla",), "multi_hpu": ("habana",)}


def to_unmodelled(value: Any) -> Any:
    """Kinds of machine that no formula here knows (accelerate 1.15 utils/dataclasses.py ``DistributedType``)."""
    return _UNMODELLED.get(str(value).lower())


PROCESSES = (
    Key("num_processes", "devices", to_processes),
    Key("distributed_type", "unmodelled", to_unmodelled),
)
"""Read by every launcher but the one of ``distributed_type: NO``, which starts one process."""

DEEPSPEED = (
    Key("deepspeed_config.zero_stage", "shard", to_zero),
    Key("deepspeed_config.offload_optimizer_device", "offload_optimizer", to_place),
    Key("deepspeed_config.offload_param_device", "offload_params", to_place),
    Key("deepspeed_config.gradient_accumulation_steps", "grad_accum", to_count),
    Key("deepspeed_config.gradient_clipping", "max_grad_norm", to_float),
    Key("mixed_precision", "engine_dtype", to_engine),
)
"""Flat fields only: a nested DeepSpeed dict (``zero_optimization: {...}``) lands on arguments that nothing reads."""

_FSDP_ROWS = tuple(key for prefix in ("fsdp_config.", "fsdp_config.fsdp_") for key in fsdp_keys(prefix))
_OFFLOADED_CHECKPOINTS = tuple(
    Key(f"fsdp_config.{prefix}activation_checkpointing_offload", "recompute_offload", to_bool) for prefix in ("", "fsdp_")
)
FSDP1 = (
    *_FSDP_ROWS,
    *(Key(f"fsdp_config.{prefix}sharding_strategy", "shard_strategy", to_strategy) for prefix in ("", "fsdp_")),
)
"""FSDP 1 takes the strategy; the launcher always passes one, so ``reshard_after_forward`` is not looked at."""

FSDP2 = (
    *_FSDP_ROWS,
    *_OFFLOADED_CHECKPOINTS,
    *(Key(f"fsdp_config.{prefix}reshard_after_forward", "reshard_after_forward", to_bool) for prefix in ("", "fsdp_")),
    Key("parallelism_config.parallelism_config_tp_size", "tensor_parallel", to_count),
    Key("parallelism_config.parallelism_config_sp_size", "context_parallel", to_count),
    Key("parallelism_config.parallelism_config_cp_size", "context_parallel", to_count),
)
MEGATRON = (
    Key("megatron_lm_config.megatron_lm_tp_degree", "tensor_parallel", to_count),
    Key("megatron_lm_config.megatron_lm_pp_degree", "pipeline_parallel", to_count),
    Key("megatron_lm_config.megatron_lm_context_parallel_size", "context_parallel", to_count),
    Key("megatron_lm_config.megatron_lm_expert_model_parallel_size", "expert_parallel", to_count),
    Key("megatron_lm_config.megatron_lm_gradient_clipping", "max_grad_norm", to_float),
    Key("megatron_lm_config.megatron_lm_recompute_activations", "recompute", to_selective),
    Key("megatron_lm_config.megatron_lm_recompute_granularity", "recompute", to_granularity),
)
