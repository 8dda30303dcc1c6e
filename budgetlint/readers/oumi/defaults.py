"""What oumi fills in, and then what TRL or transformers do.

Sources: oumi 0.9 ``core/configs/params/*.py``; TRL and transformers as in their own tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from budgetlint.readers.base import default
from budgetlint.readers.hf.defaults import plain_defaults
from budgetlint.readers.hf.trl_defaults import trl_defaults
from budgetlint.settings.run import Setting, Settings, Stack

_TRAINING, _PEFT, _FSDP_PARAMS, _ZERO = (f"oumi {name}_params.py " for name in ("training", "peft", "fsdp", "deepspeed"))
_FIXED: tuple[tuple[str, Any, str], ...] = (
    ("task", "sft", f"{_TRAINING}trainer_type: HF"),
    ("adapter", "none", f"{_TRAINING}use_peft"),
    ("weights_dtype", "auto", "oumi model_params.py torch_dtype_str: auto"),
    ("autocast", "none", f"{_TRAINING}mixed_precision_dtype: NONE"),
    ("recompute", "none", f"{_TRAINING}enable_gradient_checkpointing"),
    ("kernels", (), "oumi model_params.py enable_liger_kernel"),
    ("optimizer", "adamw", f"{_TRAINING}optimizer: adamw_torch"),
    ("learning_rate", 5e-5, f"{_TRAINING}learning_rate"),
    ("micro_batch", 8, f"{_TRAINING}per_device_train_batch_size"),
    ("use_cache", False, "oumi builders/models.py _disable_cache_in_model_config"),
)
_LORA: tuple[tuple[str, Any, str], ...] = (
    ("lora_r", 8, f"{_PEFT}lora_r"),
    ("lora_alpha", 8.0, f"{_PEFT}lora_alpha"),
    ("lora_dropout", 0.0, f"{_PEFT}lora_dropout"),
)
_BNB: tuple[tuple[str, Any, str], ...] = (
    ("quant_double", False, f"{_PEFT}use_bnb_nested_quant"),
    ("quant_compute_dtype", "fp32", f"{_PEFT}bnb_4bit_compute_dtype"),
    ("quant_storage", "uint8", f"{_PEFT}bnb_4bit_quant_storage"),
)
_FSDP: tuple[tuple[str, Any, str], ...] = (
    ("shard_strategy", "full", f"{_FSDP_PARAMS}sharding_strategy"),
    ("wrap", "none", f"{_FSDP_PARAMS}auto_wrap_policy: NO_WRAP"),
    ("offload_params", "none", f"{_FSDP_PARAMS}cpu_offload"),
    ("offload_optimizer", "none", f"{_FSDP_PARAMS}cpu_offload"),
    ("state_dict_type", "FULL_STATE_DICT", f"{_FSDP_PARAMS}state_dict_type"),
)
_DEEPSPEED: tuple[tuple[str, Any, str], ...] = (
    ("offload_optimizer", "none", f"{_ZERO}offload_optimizer"),
    ("offload_params", "none", f"{_ZERO}offload_param"),
    ("zero_overlap", False, f"{_ZERO}overlap_comm"),
    ("zero_contiguous", True, f"{_ZERO}contiguous_gradients"),
    ("zero_bucket", 500_000_000, f"{_ZERO}reduce_bucket_size"),
    ("zero_allgather_bucket", 500_000_000, f"{_ZERO}allgather_bucket_size"),
    ("zero_prefetch", 50_000_000, f"{_ZERO}stage3_prefetch_bucket_size"),
    ("zero_persistence", 100_000, f"{_ZERO}stage3_param_persistence_threshold"),
    ("zero_max_live", 1_000_000_000, f"{_ZERO}stage3_max_live_parameters"),
    ("zero_sub_group", 1_000_000_000, f"{_ZERO}sub_group_size"),
)


def defaults(settings: Settings, stack: Stack) -> Iterable[Setting]:
    shard = str(settings.value("shard", ""))
    if settings.value("task") == "grpo" and _through_trl(settings):
        yield default("rollout_memory", 0.9, "oumi grpo_params.py vllm_gpu_memory_utilization")
    sections = (
        (True, _FIXED),
        (settings.value("adapter") == "lora", _LORA),
        (settings.value("quant") in ("nf4", "fp4"), _BNB),
        (shard == "fsdp", _FSDP),
        (shard.startswith("zero"), _DEEPSPEED),
    )
    yield from (default(name, value, note) for used, rows in sections if used for name, value, note in rows)
    yield from trl_defaults(settings, stack) if _through_trl(settings) else plain_defaults(settings, stack)


def _through_trl(settings: Settings) -> bool:
    task = settings.get("task")
    return task is not None and task.text.upper().startswith("TRL_")
