"""Is this a DeepSpeed configuration? Told from GPT-NeoX configs, accelerate files, wandb dumps and templates by their keys."""

from __future__ import annotations

from budgetlint.documents import Document, Mapping
from budgetlint.readers.base import names

_CERTAIN = frozenset(("zero_optimization", "train_micro_batch_size_per_gpu"))
_SECTIONS = {
    "fp16": "enabled", "bf16": "enabled", "bfloat16": "enabled", "optimizer": "type", "scheduler": "type", "flops_profiler": "enabled",
    "activation_checkpointing": "partition_activations", "amp": "enabled",
}  # fmt: skip
"""Sections of the engine, and the key that tells each from somebody else's of that name."""
_OWN = names(
    """train_batch_size steps_per_print wall_clock_breakdown prescale_gradients zero_allow_untested_optimizer communication_data_type
    zero_force_ds_cpu_optimizer gradient_predivide_factor sparse_gradients gradient_clipping"""
)
"""Keys that stand beside the sections; ``train_batch_size`` alone is anybody's word."""
_FOREIGN = names(
    """_wandb pipe_parallel_size num_layers hidden_size no_weight_tying pos_emb distributed_type compute_environment deepspeed_config
    model_name_or_path per_device_train_batch_size micro_batch_size finetuning_type sequence_len model trainer job hyperparameters
    resources data"""
)
_ELSEWHERE = names(
    """learning_rate mixed_precision output_dir pretrained_model_name_or_path lr_scheduler model_family model_type LoRA_type"""
)
"""Words of trainers of their own: beside a key that only DeepSpeed has they are slips."""


def score(document: Document) -> float:
    """0, or 0.7 to 1. Bare words where values belong are a template, not a config. DeepSpeed itself reads hjson; YAML is what a program
    hands over as a dict, told by both keys that nobody else has."""
    mapping = document.mapping
    if mapping is None or document.format not in ("json", "yaml") or _is_template(document):
        return 0.0
    keys = names(" ".join(mapping.keys()).replace("-", "_"))
    if keys & _FOREIGN:
        return 0.0
    if document.format == "yaml":
        return 0.7 if keys >= _CERTAIN and _is_section(mapping, "zero_optimization") and not keys & _ELSEWHERE else 0.0
    if "zero_optimization" in keys and _is_section(mapping, "zero_optimization"):
        return 1.0
    if keys & _CERTAIN:
        return 0.95
    if keys & _ELSEWHERE:
        return 0.0
    sections = sum(_is_engines(mapping, name) for name in _SECTIONS)
    return 0.7 if sections > 1 or (sections and keys & _OWN) else 0.0


def _is_engines(mapping: Mapping, name: str) -> bool:
    node = mapping.get(name)
    return isinstance(node, Mapping) and _SECTIONS[name] in node


def _is_section(mapping: Mapping, name: str) -> bool:
    """A wandb dump wraps every value in ``value:``."""
    node = mapping.get(name)
    return isinstance(node, Mapping) and "value" not in node


def _is_template(document: Document) -> bool:
    return any(problem.kind == "unquoted" for problem in document.leniencies)
