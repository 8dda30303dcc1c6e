"""OpenRLHF's flags, dotted and old, that map one to one onto settings.

Sources: openrlhf 0.11.2 ``openrlhf/cli/train_{sft,dpo,rm,ppo_ray}.py``; old names: those of 0.5 (``--pretrain``, ``--zero_stage``).
In a table a later row wins.
"""

from __future__ import annotations

from typing import Any

from budgetlint.readers.base import Key, to_bool, to_count, to_dtype, to_float, to_int, to_text, to_words

_STAGES = {0: "ddp", 1: "zero1", 2: "zero2", 3: "zero3"}


def to_stage(value: Any) -> Any:
    return _STAGES.get(to_int(value))


def to_recompute(value: Any) -> Any:
    return "full" if to_bool(value) is True else "none"


def to_host(value: Any) -> Any:
    return "cpu" if to_bool(value) is True else "none"


def to_attention(value: Any) -> Any:
    """``--flash_attn`` is a bare switch; the newer flag names the implementation."""
    word = str(value).lower()
    if word in ("sdpa", "eager"):
        return word
    return "flash" if "flash" in word or word == "true" else None


def to_targets(value: Any) -> Any:
    return to_words(value) or None


def _adam(prefix: str) -> tuple[Key, ...]:
    return (
        Key(f"{prefix}adam.lr", "learning_rate", to_float),
        Key(f"{prefix}adam.weight_decay", "weight_decay", to_float),
        Key(f"{prefix}adam.eps", "adam_epsilon", to_float),
        Key(f"{prefix}max_norm", "max_grad_norm", to_float),
        Key(f"{prefix}lr_scheduler", "lr_scheduler", to_text),
        Key(f"{prefix}lr_warmup_ratio", "warmup_ratio", to_float),
    )


KEYS = (
    Key("pretrain", "model", to_text),
    Key("model.model_name_or_path", "model", to_text),
    Key("actor.model_name_or_path", "model", to_text),
    Key("micro_train_batch_size", "micro_batch", to_count),
    Key("train.micro_batch_size", "micro_batch", to_count),
    Key("train_batch_size", "global_batch", to_count),
    Key("train.batch_size", "global_batch", to_count),
    Key("max_len", "seq_len", to_count),
    Key("data.max_len", "seq_len", to_count),
    Key("max_epochs", "num_epochs", to_float),
    Key("train.max_epochs", "num_epochs", to_float),
    Key("zero_stage", "shard", to_stage),
    Key("ds.zero_stage", "shard", to_stage),
    Key("adam_offload", "offload_optimizer", to_host),
    Key("ds.adam_offload", "offload_optimizer", to_host),
    Key("flash_attn", "attention", to_attention),
    Key("ds.attn_implementation", "attention", to_attention),
    Key("gradient_checkpointing", "recompute", to_recompute),
    Key("model.gradient_checkpointing_enable", "recompute", to_recompute),
    Key("actor.gradient_checkpointing_enable", "recompute", to_recompute),
    Key("gradient_checkpointing_use_reentrant", "recompute_reentrant", to_bool),
    Key("model.gradient_checkpointing_reentrant", "recompute_reentrant", to_bool),
    Key("actor.gradient_checkpointing_reentrant", "recompute_reentrant", to_bool),
    Key("packing_samples", "packing", to_bool),
    Key("ds.packing_samples", "packing", to_bool),
    Key("grad_accum_dtype", "grads_dtype", to_dtype),
    Key("ds.grad_accum_dtype", "grads_dtype", to_dtype),
    Key("overlap_comm", "zero_overlap", to_bool),
    Key("ds.overlap_comm", "zero_overlap", to_bool),
    Key("ring_attn_size", "context_parallel", to_count),
    Key("ds.ring_attn_size", "context_parallel", to_count),
    Key("ds_tensor_parallel_size", "tensor_parallel", to_count),
    Key("ds.tensor_parallel_size", "tensor_parallel", to_count),
    Key("learning_rate", "learning_rate", to_float),
    Key("actor_learning_rate", "learning_rate", to_float),
    Key("l2", "weight_decay", to_float),
    Key("lora_alpha", "lora_alpha", to_float),
    Key("ds.lora.alpha", "lora_alpha", to_float),
    Key("lora_dropout", "lora_dropout", to_float),
    Key("ds.lora.dropout", "lora_dropout", to_float),
    Key("target_modules", "lora_targets", to_targets),
    Key("ds.lora.target_modules", "lora_targets", to_targets),
    *_adam(""),
    *_adam("actor."),
    Key("actor_num_nodes", "nodes", to_count),
    Key("actor.num_nodes", "nodes", to_count),
    Key("actor_num_gpus_per_node", "devices_per_node", to_count),
    Key("actor.num_gpus_per_node", "devices_per_node", to_count),
    Key("vllm_tensor_parallel_size", "rollout_tensor_parallel", to_count),
    Key("vllm.tensor_parallel_size", "rollout_tensor_parallel", to_count),
    Key("vllm_gpu_memory_utilization", "rollout_memory", to_float),
    Key("vllm.gpu_memory_utilization", "rollout_memory", to_float),
    Key("critic_pretrain", "critic_model", to_text),
    Key("critic.model_name_or_path", "critic_model", to_text),
    Key("reward_pretrain", "reward_model", to_text),
    Key("reward.model_name_or_path", "reward_model", to_text),
    Key("ref_pretrain", "reference_model", to_text),
    Key("ref.model_name_or_path", "reference_model", to_text),
)
