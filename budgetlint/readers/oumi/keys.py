"""oumi's one-key settings. Source: oumi 0.9 ``core/configs/params/{model,training,peft,fsdp,deepspeed}_params.py``."""

from __future__ import annotations

from typing import Any

from budgetlint.readers.base import AUTO, Key, Unreadable, to_bool, to_count, to_dtype, to_float, to_int, to_text, to_words
from budgetlint.readers.derived import liger_kernels
from budgetlint.readers.fsdp_words import to_strategy, to_wrap

_TASKS = {
    "TRL_SFT": "sft", "TRL_DPO": "dpo", "TRL_KTO": "kto", "TRL_GRPO": "grpo", "VERL_GRPO": "grpo",
    "TRL_GKD": "other", "TRL_GOLD": "other", "HF": "sft", "OUMI": "sft",
}  # fmt: skip
_ATTENTION = {"eager": "eager", "sdpa": "sdpa", "flash_attention_2": "flash", "flash_attention_3": "flash", "flex_attention": "flex"}
_PLACES = {"CPU": "cpu", "NVME": "nvme", "NONE": "none"}


def to_task(value: Any) -> Any:
    word = str(value).upper()
    if word not in _TASKS:
        raise Unreadable(f"'{value}' is no trainer of oumi", f"write one of {', '.join(_TASKS)}")
    return _TASKS[word]


def to_attention(value: Any) -> Any:
    """Kernels of the hub (``kernels-community/vllm-flash-attn3``) are flash attention too."""
    word = str(value).lower()
    return "flash" if "flash-attn" in word else _ATTENTION.get(word)


def to_checkpointing(value: Any) -> Any:
    return "full" if to_bool(value) else "none"


def to_mixed(value: Any) -> Any:
    word = str(value).rpartition(".")[2].lower()
    return {"none": "none", "fp16": "fp16", "bf16": "bf16"}.get(word)


def to_engine(value: Any) -> Any:
    return {"fp16": "fp16", "bf16": "bf16"}.get(str(value).rpartition(".")[2].lower())


def to_place(value: Any) -> Any:
    return _PLACES.get(str(value).rpartition(".")[2].upper())


def to_offload(value: Any) -> Any:
    return "cpu" if to_bool(value) else "none"


def to_kernels(value: Any) -> Any:
    return liger_kernels() if to_bool(value) else ()


def to_evaluates(value: Any) -> Any:
    return str(value).lower() not in ("no", "false")


def to_bucket(value: Any) -> Any:
    return AUTO if value == "auto" else to_int(value)


KEYS = (
    Key("model.model_name", "model", to_text),
    Key("model.model_max_length", "seq_len", to_count),
    Key("model.torch_dtype_str", "weights_dtype", to_dtype),
    Key("model.freeze_layers", "freeze", to_words),
    Key("model.trust_remote_code", "trust_remote_code", to_bool),
    Key("model.attn_implementation", "attention", to_attention),
    Key("model.enable_liger_kernel", "kernels", to_kernels),
    Key("training.trainer_type", "task", to_task),
    Key("training.per_device_train_batch_size", "micro_batch", to_count),
    Key("training.per_device_eval_batch_size", "eval_batch", to_count),
    Key("training.gradient_accumulation_steps", "grad_accum", to_count),
    Key("training.enable_gradient_checkpointing", "recompute", to_checkpointing),
    Key("training.gradient_checkpointing_kwargs.use_reentrant", "recompute_reentrant", to_bool),
    Key("training.mixed_precision_dtype", "autocast", to_mixed),
    Key("training.compile", "compile", to_bool),
    Key("training.learning_rate", "learning_rate", to_float),
    Key("training.weight_decay", "weight_decay", to_float),
    Key("training.adam_beta1", "adam_beta1", to_float),
    Key("training.adam_beta2", "adam_beta2", to_float),
    Key("training.adam_epsilon", "adam_epsilon", to_float),
    Key("training.max_grad_norm", "max_grad_norm", to_float),
    Key("training.lr_scheduler_type", "lr_scheduler", to_text),
    Key("training.warmup_steps", "warmup_steps", to_float),
    Key("training.warmup_ratio", "warmup_ratio", to_float),
    Key("training.max_steps", "max_steps", to_int),
    Key("training.num_train_epochs", "num_epochs", to_float),
    Key("training.eval_strategy", "eval_on", to_evaluates),
    Key("training.gkd.teacher_model_name_or_path", "teacher_model", to_text),
    Key("training.gold.teacher_model_name_or_path", "teacher_model", to_text),
    Key("training.trainer_kwargs.packing", "packing", to_bool),
)
LORA = (
    Key("peft.lora_r", "lora_r", to_count),
    Key("peft.lora_alpha", "lora_alpha", to_float),
    Key("peft.lora_dropout", "lora_dropout", to_float),
    Key("peft.lora_target_modules", "lora_targets", to_words),
    Key("peft.lora_modules_to_save", "lora_modules_to_save", to_words),
)
BNB = (
    Key("peft.use_bnb_nested_quant", "quant_double", to_bool),
    Key("peft.bnb_4bit_compute_dtype", "quant_compute_dtype", to_dtype),
    Key("peft.bnb_4bit_quant_storage", "quant_storage", to_text),
)
FSDP = (
    Key("fsdp.sharding_strategy", "shard_strategy", to_strategy),
    Key("fsdp.cpu_offload", "offload_params", to_offload),
    Key("fsdp.cpu_offload", "offload_optimizer", to_offload),
    Key("fsdp.auto_wrap_policy", "wrap", to_wrap),
    Key("fsdp.state_dict_type", "state_dict_type", to_text),
    Key("fsdp.mixed_precision", "autocast", to_mixed),
)
DEEPSPEED = (
    Key("deepspeed.precision", "engine_dtype", to_engine),
    Key("deepspeed.offload_optimizer.device", "offload_optimizer", to_place),
    Key("deepspeed.offload_param.device", "offload_params", to_place),
    Key("deepspeed.overlap_comm", "zero_overlap", to_bool),
    Key("deepspeed.contiguous_gradients", "zero_contiguous", to_bool),
    Key("deepspeed.reduce_bucket_size", "zero_bucket", to_bucket),
    Key("deepspeed.allgather_bucket_size", "zero_allgather_bucket", to_bucket),
    Key("deepspeed.stage3_prefetch_bucket_size", "zero_prefetch", to_bucket),
    Key("deepspeed.stage3_param_persistence_threshold", "zero_persistence", to_bucket),
    Key("deepspeed.stage3_max_live_parameters", "zero_max_live", to_bucket),
    Key("deepspeed.sub_group_size", "zero_sub_group", to_bucket),
)
