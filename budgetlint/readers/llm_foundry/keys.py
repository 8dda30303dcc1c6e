"""LLM Foundry's one-key settings.

Sources: llm-foundry 0.22.0 ``utils/config_utils.py`` TrainConfig, composer 0.32 ``utils/parallelism.py`` FSDPConfig.
"""

from __future__ import annotations

from typing import Any

from budgetlint.readers.base import AUTO, Key, Unreadable, to_bool, to_count, to_float, to_text, to_words
from budgetlint.readers.fsdp_words import to_recompute, to_strategy

_PRECISIONS = {"fp32": "none", "amp_fp16": "fp16", "amp_bf16": "bf16", "amp_fp8": "fp8"}
_HUGGING_FACE = {"eager": "eager", "sdpa": "sdpa", "flash_attention_2": "flash", "flex_attention": "flex"}
_IMPLEMENTATIONS = {"torch": "eager", "flash": "flash", "triton": "flash"}


def to_precision(value: Any) -> Any:
    word = str(value).lower()
    if word not in _PRECISIONS:
        raise Unreadable(f"'{value}' is no precision of Composer", "write amp_bf16, amp_fp16, amp_fp8 or fp32")
    return _PRECISIONS[word]


def to_attention(value: Any) -> Any:
    """MPT's own attention: ``torch`` keeps the scores, ``flash`` and the older ``triton`` do not."""
    return _IMPLEMENTATIONS.get(str(value).lower())


def to_implementation(value: Any) -> Any:
    """Hugging Face models: the words of transformers."""
    return _HUGGING_FACE.get(str(value).lower())


def to_flash(value: Any) -> Any:
    return "flash" if to_bool(value) else None


def to_micro(value: Any) -> Any:
    """``auto`` halves until it fits; a fraction is for sequences longer than a device takes."""
    return AUTO if str(value).lower() == "auto" else to_count(value)


def to_ratio(value: Any) -> Any:
    """A packing ratio, or ``auto``, packs."""
    return str(value).lower() == "auto" or to_float(value) > 1


def to_evaluates(value: Any) -> Any:
    return str(value) != "0" and not str(value).startswith("0")


KEYS = (
    Key("max_seq_len", "seq_len", to_count),
    Key("device_train_microbatch_size", "micro_batch", to_micro),
    Key("global_train_batch_size", "global_batch", to_count),
    Key("device_eval_batch_size", "eval_batch", to_count),
    Key("precision", "autocast", to_precision),
    Key("eval_interval", "eval_on", to_evaluates),
    Key("optimizer.lr", "learning_rate", to_float),
    Key("optimizer.weight_decay", "weight_decay", to_float),
    Key("optimizer.eps", "adam_epsilon", to_float),
    Key("scheduler.name", "lr_scheduler", to_text),
    Key("algorithms.gradient_clipping.clipping_threshold", "max_grad_norm", to_float),
    Key("train_loader.dataset.packing_ratio", "packing", to_ratio),
    Key("model.trust_remote_code", "trust_remote_code", to_bool),
    Key("model.attn_config.attn_impl", "attention", to_attention),
    Key("model.config_overrides.attn_config.attn_impl", "attention", to_attention),
    Key("model.attn_implementation", "attention", to_implementation),
    Key("model.use_flash_attention_2", "attention", to_flash),
    Key("save_interval", "save_strategy", to_text),
)
FSDP = (
    Key("fsdp_config.sharding_strategy", "shard_strategy", to_strategy),
    Key("fsdp_config.activation_checkpointing", "recompute", to_recompute),
    Key("fsdp_config.activation_checkpointing_reentrant", "recompute_reentrant", to_bool),
    Key("fsdp_config.activation_cpu_offload", "recompute_offload", to_bool),
    Key("fsdp_config.state_dict_type", "state_dict_type", to_text),
)
LORA = (
    Key("model.peft_config.r", "lora_r", to_count),
    Key("model.peft_config.lora_alpha", "lora_alpha", to_float),
    Key("model.peft_config.lora_dropout", "lora_dropout", to_float),
    Key("model.peft_config.target_modules", "lora_targets", to_words),
    Key("model.peft_config.modules_to_save", "lora_modules_to_save", to_words),
    Key("model.peft_config.use_dora", "lora_dora", to_bool),
    Key("model.peft_config.use_rslora", "lora_rslora", to_bool),
)
