"""How each framework says a setting: the key that is written where none stands yet (of the manifests), and the word of a value.

Only keys of which a reader is sure: each written value is read again before it is offered (`proof.py`), so a word that a version
reads otherwise is dropped there. Sources: the key tables of `budgetlint.readers`, which name each framework's file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from budgetlint.frameworks import format_of
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

UNSAID = frozenset({"quant_double", "lora_targets", "wrap", "shard_strategy", "engine_dtype", "devices", "grad_accum"})
"""Settings that may follow from the others without a key of their own; the proof says whether they do."""


def as_said(format: str, changes: Mapping[str, Any]) -> Mapping[str, Any]:
    """axolotl's own word for LoRA on a 4-bit base (``utils/schemas/peft.py``: ``load_in_4bit`` belongs to ``qlora``)."""
    return {**changes, "adapter": "qlora"} if format == "axolotl" and changes.get("quant") == "nf4" else changes


def key_of(format: str, setting: str, value: Any, stack: Stack) -> str | None:
    """The key of a setting, or of this value of it, in this version of a format."""
    known = format_of(format)
    path = known.spellings.get(f"{setting} {value}") or known.spellings.get(setting)
    renamed = known.renamed.get(path or "")
    if renamed is None:
        return path
    package, version, older = renamed
    return path if stack.at_least(package, version) is not False else older


def word_of(key: str, setting: str, value: Any) -> Any:
    """What ``value`` is written as at a key; None where nobody here knows."""
    if setting in NUMBERS:
        return value
    asked = "liger" if setting == "kernels" else value
    return WORDS.get(key.rpartition(".")[2], {}).get(asked)
