"""How each framework says a setting: the key that is written where none stands yet, and the word of a value.

Only keys of which a reader is sure: each written value is read again before it is offered (`proof.py`), so a word that a version
reads otherwise is dropped there. Sources: the key tables of `budgetlint.readers`, which name each framework's file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from budgetlint.settings.run import Stack

Words = Mapping[Any, Any]

_ON, _OFF = {"full": True, "none": False}, {"full": False, "none": True}
_HF_OPTIMIZERS = {
    "adamw8bit": "adamw_8bit", "paged_adamw_32bit": "paged_adamw_32bit", "paged_adamw_8bit": "paged_adamw_8bit",
    "lion_8bit": "lion_8bit", "paged_lion_32bit": "paged_lion_32bit", "paged_lion_8bit": "paged_lion_8bit", "sgd": "sgd",
    "ademamix_8bit": "ademamix_8bit", "paged_ademamix_32bit": "paged_ademamix_32bit", "paged_ademamix_8bit": "paged_ademamix_8bit",
    "adamw_torch_fused": "adamw_torch_fused",
}  # fmt: skip
"""transformers 5.24.0 training_args.py OptimizerNames (``adamw_8bit`` since 4.41)."""
_CLASSES = {
    "adamw8bit": "bitsandbytes.optim.AdamW8bit", "paged_adamw_32bit": "bitsandbytes.optim.PagedAdamW",
    "paged_adamw_8bit": "bitsandbytes.optim.PagedAdamW8bit", "sgd": "torch.optim.SGD", "adam8bit": "bitsandbytes.optim.Adam8bit",
    "chunked": "torchtune.modules.loss.CEWithChunkedOutputLoss",
}  # fmt: skip
_DTYPE = {"bf16": "bfloat16"}

WORDS: Mapping[str, Words] = {
    # activation checkpointing
    "gradient_checkpointing": _ON, "activation_checkpointing": _ON, "enable_activation_checkpointing": _ON, "grad_checkpoint": _ON,
    "disable_gradient_checkpointing": _OFF,
    "fsdp_activation_checkpointing": _ON,
    "mode": {"full": "full", "selective": "selective", "none": "none"},
    "recompute_granularity": {"full": "full", "selective": "selective"},
    "activation_offloading": {True: True}, "enable_activation_offloading": {True: True},
    # attention
    "attn_implementation": {"sdpa": "sdpa", "flash": "flash_attention_2"},
    "flash_attn": {"sdpa": "sdpa", "flash": "fa2"},
    "flash_attention": {"flash": True},
    # loss and kernels
    "use_liger_kernel": {"liger": True}, "use_liger": {"liger": True}, "enable_liger_kernel": {"liger": True},
    "chunked_cross_entropy": {"chunked": True},
    "plugins": {"fused": ("axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin",)},
    # optimizer
    "optim": _HF_OPTIMIZERS, "optimizer": {**_HF_OPTIMIZERS, "adamw8bit": "adamw_bnb_8bit"}, "_component_": _CLASSES,
    # dtype, quantised base, adapter
    "dtype": _DTYPE, "torch_dtype": _DTYPE,
    "bf16": {"bf16": True},
    "load_in_4bit": {"nf4": True}, "quantization_bit": {"nf4": 4},
    "use_bnb_nested_quant": {True: True}, "double_quantization": {True: True},
    "quantize": {"nf4": "bnb.nf4-dq"},
    "use_peft": {"lora": True}, "finetuning_type": {"lora": "lora"}, "adapter": {"lora": "lora", "qlora": "qlora"},
    "lora_target_modules": {("all-linear",): "all-linear"}, "lora_target": {("all-linear",): "all"},
    "lora_target_linear": {("all-linear",): True},
    # sharding
    "stage": {"zero1": 1, "zero2": 2, "zero3": 3}, "zero_stage": {"zero1": 1, "zero2": 2, "zero3": 3},
    "fsdp": {"fsdp": "full_shard auto_wrap"},
    "fsdp_sharding_strategy": {"full": "FULL_SHARD"}, "sharding_strategy": {"full": "FULL_SHARD"},
    "offload_optimizer": {"cpu": {"device": "cpu"}}, "offload_param": {"cpu": {"device": "cpu"}},
    "offload_optimizer_device": {"cpu": "cpu"}, "offload_param_device": {"cpu": "cpu"}, "device": {"cpu": "cpu"},
    "fsdp_offload_params": {"cpu": True}, "offload_params": {"cpu": True}, "fsdp_cpu_offload": {"cpu": True},
    "enable_cpu_offload": {"cpu": True},
}  # fmt: skip
"""The last part of a key path, and what each value of ours is written as. A whole number is written as it is."""

NUMBERS = frozenset({
    "micro_batch", "grad_accum", "seq_len", "eval_batch", "lora_r", "recompute_every", "zero_bucket", "zero_allgather_bucket",
})  # fmt: skip

_TRAINING_ARGUMENTS = {
    "micro_batch": "per_device_train_batch_size", "grad_accum": "gradient_accumulation_steps",
    "eval_batch": "per_device_eval_batch_size", "recompute": "gradient_checkpointing", "optimizer": "optim",
    "kernels": "use_liger_kernel", "shard": "fsdp", "autocast": "bf16",
    "recompute_every": "gradient_checkpointing_kwargs.every_n_layers",
}  # fmt: skip
_TRL = {
    **_TRAINING_ARGUMENTS, "weights_dtype": "dtype", "attention": "attn_implementation", "adapter": "use_peft", "lora_r": "lora_r",
    "lora_targets": "lora_target_modules", "quant": "load_in_4bit", "quant_double": "use_bnb_nested_quant", "seq_len": "max_length",
    "recompute_offload": "activation_offloading",
}  # fmt: skip
_ZERO = "zero_optimization."

KEYS: Mapping[str, Mapping[str, str]] = {
    "hf_training_arguments": _TRAINING_ARGUMENTS,
    "trl": _TRL,
    "alignment_handbook": {**_TRL, "weights_dtype": "torch_dtype"},
    "llamafactory": {
        **_TRAINING_ARGUMENTS, "kernels": "enable_liger_kernel", "seq_len": "cutoff_len", "attention": "flash_attn",
        "adapter": "finetuning_type", "lora_r": "lora_rank", "lora_targets": "lora_target", "quant": "quantization_bit",
        "quant_double": "double_quantization", "recompute": "disable_gradient_checkpointing",
    },
    "axolotl": {
        "micro_batch": "micro_batch_size", "grad_accum": "gradient_accumulation_steps", "seq_len": "sequence_len",
        "recompute": "gradient_checkpointing", "optimizer": "optimizer", "attention": "flash_attention", "adapter": "adapter",
        "lora_r": "lora_r", "lora_targets": "lora_target_linear", "quant": "load_in_4bit", "eval_batch": "eval_batch_size",
        "loss": "chunked_cross_entropy", "loss fused": "plugins", "recompute_offload": "activation_offloading", "autocast": "bf16",
    },
    "torchtune": {
        "micro_batch": "batch_size", "grad_accum": "gradient_accumulation_steps", "recompute": "enable_activation_checkpointing",
        "recompute_offload": "enable_activation_offloading", "seq_len": "tokenizer.max_seq_len", "optimizer": "optimizer._component_",
        "offload_params": "fsdp_cpu_offload", "offload_optimizer": "fsdp_cpu_offload", "weights_dtype": "dtype",
        "loss": "loss._component_",
    },
    "torchtitan": {
        "micro_batch": "training.local_batch_size", "seq_len": "training.seq_len", "recompute": "activation_checkpoint.mode",
        "offload_params": "training.enable_cpu_offload", "offload_optimizer": "training.enable_cpu_offload",
    },
    "litgpt": {
        "micro_batch": "train.micro_batch_size", "seq_len": "train.max_seq_length", "quant": "quantize", "lora_r": "lora_r",
    },
    "ms_swift": {**_TRAINING_ARGUMENTS, "seq_len": "max_length"},
    "deepspeed": {
        "shard": f"{_ZERO}stage", "offload_optimizer": f"{_ZERO}offload_optimizer", "offload_params": f"{_ZERO}offload_param",
        "zero_bucket": f"{_ZERO}reduce_bucket_size", "zero_allgather_bucket": f"{_ZERO}allgather_bucket_size",
    },
    "accelerate": {
        "offload_params": "fsdp_config.fsdp_offload_params", "offload_optimizer": "fsdp_config.fsdp_offload_params",
        "shard_strategy": "fsdp_config.fsdp_sharding_strategy", "recompute": "fsdp_config.fsdp_activation_checkpointing",
    },
}  # fmt: skip
"""Format -> setting -> the key that says it."""


UNSAID = frozenset({"quant_double", "lora_targets", "wrap", "shard_strategy", "engine_dtype", "devices", "grad_accum"})
"""Settings that may follow from the others without a key of their own; the proof says whether they do."""


def as_said(format: str, changes: Mapping[str, Any]) -> Mapping[str, Any]:
    """axolotl's own word for LoRA on a 4-bit base (``utils/schemas/peft.py``: ``load_in_4bit`` belongs to ``qlora``)."""
    return {**changes, "adapter": "qlora"} if format == "axolotl" and changes.get("quant") == "nf4" else changes


def key_of(format: str, setting: str, value: Any, stack: Stack) -> str | None:
    """The key of a setting, or of this value of it, in this version of a format."""
    keys = KEYS.get(format, {})
    path = keys.get(f"{setting} {value}") or keys.get(setting)
    renamed = RENAMED.get((format, path or ""))
    if renamed is None:
        return path
    package, version, older = renamed
    return path if stack.at_least(package, version) is not False else older


RENAMED = {
    ("trl", "dtype"): ("trl", "0.24", "torch_dtype"),
    ("trl", "max_length"): ("trl", "0.16", "max_seq_length"),
}
"""Where older versions of the package have another key: TRL ``model_config.py``, ``sft_config.py``."""


def word_of(key: str, setting: str, value: Any) -> Any:
    """What ``value`` is written as at a key; None where nobody here knows."""
    if setting in NUMBERS:
        return value
    asked = "liger" if setting == "kernels" else value
    return WORDS.get(key.rpartition(".")[2], {}).get(asked)
