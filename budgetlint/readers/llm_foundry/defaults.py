"""What LLM Foundry and Composer fill in.

Sources: llm-foundry 0.22.0 ``utils/config_utils.py`` TrainConfig, ``models/hf/hf_base.py`` and 0.18.0 (attention), composer 0.32
``utils/parallelism.py`` FSDPConfig, ``distributed/mosaic_parallelism.py`` get_mixed_precision.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from budgetlint.readers.base import default
from budgetlint.readers.derived import derived
from budgetlint.settings.run import Setting, Settings, Stack

_CONFIG = "llm-foundry utils/config_utils.py TrainConfig."
_FIXED: tuple[tuple[str, Any, str], ...] = (
    ("task", "sft", "llm-foundry train_loader.name"),
    ("adapter", "none", "llm-foundry models/hf: no peft_config"),
    ("quant", "none", "llm-foundry loads no quantised weights for training"),
    ("weights_dtype", "fp32", "llm-foundry models/hf/hf_base.py: from_pretrained without a dtype"),
    ("autocast", "bf16", f"{_CONFIG}precision: amp_bf16"),
    ("recompute", "none", "composer FSDPConfig.activation_checkpointing: False"),
    ("recompute_reentrant", True, "composer FSDPConfig.activation_checkpointing_reentrant"),
    ("recompute_offload", False, "composer FSDPConfig.activation_cpu_offload"),
    ("kernels", (), "llm-foundry: none unless the model's code has them"),
    ("loss", "full", "llm-foundry models/mpt/modeling_mpt.py: the logits are whole"),
    ("compile", False, f"{_CONFIG}compile_config: None"),
    ("packing", False, "llm-foundry data/packing.py packing_ratio: None"),
    ("max_grad_norm", 0.0, f"{_CONFIG}algorithms: None"),
    ("eval_on", True, f"{_CONFIG}eval_interval: 1"),
    ("save_strategy", "1000ba", f"{_CONFIG}save_interval"),
)
_FSDP: tuple[tuple[str, Any, str], ...] = (
    ("shard_strategy", "full", "composer FSDPConfig.sharding_strategy: FULL_SHARD"),
    ("wrap", "layer", "llm-foundry models/utils/hf_prefixlm, hf_fsdp.py: each block"),
    ("reshard_after_forward", True, "torch FSDP FULL_SHARD"),
    ("offload_params", "none", "composer get_cpu_offload: not supported"),
    ("offload_optimizer", "none", "composer get_cpu_offload: not supported"),
    ("state_dict_type", "full", "composer FSDPConfig.state_dict_type"),
    ("grads_dtype", "fp32", "composer FSDPConfig.keep_low_precision_grads: False"),
)
_LORA: tuple[tuple[str, Any, str], ...] = (
    ("lora_r", 8, "peft LoraConfig.r"),
    ("lora_alpha", 8.0, "peft LoraConfig.lora_alpha"),
    ("lora_dropout", 0.0, "peft LoraConfig.lora_dropout"),
    ("adapter_dtype", "fp32", "llm-foundry models/hf/hf_base.py: weights in float32"),
)


def defaults(settings: Settings, _stack: Stack) -> Iterable[Setting]:
    yield from (default(name, value, note) for name, value, note in _FIXED)
    if "micro_batch" not in settings:
        yield Setting("micro_batch", None, default("micro_batch", "auto", f"{_CONFIG}device_train_microbatch_size").origin, "auto", "auto")
    if settings.value("shard") == "fsdp":
        yield from (default(name, value, note) for name, value, note in _FSDP)
    if settings.value("adapter") == "lora":
        yield from (default(name, value, note) for name, value, note in _LORA)
    yield _attention(settings)
    yield from _accumulation(settings)


def _attention(settings: Settings) -> Setting:
    if settings.value("model_code") == "llm-foundry":
        return default("attention", "flash", "llm-foundry models/mpt/configuration_mpt.py attn_config_defaults: flash")
    return default("attention", "eager", "llm-foundry models/hf/hf_base.py: eager unless attn_implementation or use_flash_attention_2")


def _accumulation(settings: Settings) -> Iterable[Setting]:
    """The device's share of the global batch, in micro batches."""
    total, micro, devices = (settings.value(name) for name in ("global_batch", "micro_batch", "devices"))
    if total and micro and devices and total // devices >= micro:
        yield derived("grad_accum", -(-(total // devices) // micro), "composer: device batch / micro batch", settings.get("global_batch"))
