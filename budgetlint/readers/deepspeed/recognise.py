"""Is this a DeepSpeed configuration? Told from GPT-NeoX configs, accelerate files, wandb dumps and templates by their keys."""

from __future__ import annotations

from budgetlint.documents import Document, Mapping
from budgetlint.readers.base import names

_CERTAIN = frozenset(("zero_optimization", "train_micro_batch_size_per_gpu"))
_OWN = names(
    """train_batch_size gradient_accumulation_steps gradient_clipping steps_per_print wall_clock_breakdown prescale_gradients
    zero_allow_untested_optimizer fp16 bf16 bfloat16 optimizer scheduler activation_checkpointing flops_profiler communication_data_type
    zero_force_ds_cpu_optimizer torch_autocast compression_training curriculum_learning data_efficiency aio autotuning amp data_types
    gradient_predivide_factor sparse_gradients memory_breakdown comms_logger sparse_attention"""
)
_SECTIONS = ("fp16", "bf16", "bfloat16", "optimizer", "scheduler", "flops_profiler", "activation_checkpointing")
_FOREIGN = names(
    """_wandb pipe_parallel_size num_layers hidden_size no_weight_tying pos_emb distributed_type compute_environment deepspeed_config
    model_name_or_path per_device_train_batch_size micro_batch_size finetuning_type sequence_len model trainer job hyperparameters
    resources data"""
)


def score(document: Document) -> float:
    """0, or 0.7 to 1. YAML is none: DeepSpeed reads hjson. Bare words where values belong are a template, not a config."""
    mapping = document.mapping
    if mapping is None or document.format != "json" or _is_template(document):
        return 0.0
    keys = names(" ".join(mapping.keys()).replace("-", "_"))
    if keys & _FOREIGN:
        return 0.0
    own = len(keys & _OWN)
    if "zero_optimization" in keys and _is_section(mapping, "zero_optimization"):
        return 1.0
    if keys & _CERTAIN or ("train_batch_size" in keys and own >= 2):
        return 0.95
    return 0.7 if own >= 2 and any(_is_section(mapping, name) for name in _SECTIONS) else 0.0


def _is_section(mapping: Mapping, name: str) -> bool:
    """A wandb dump wraps every value in ``value:``."""
    node = mapping.get(name)
    return isinstance(node, Mapping) and "value" not in node


def _is_template(document: Document) -> bool:
    return any(problem.kind == "unquoted" for problem in document.leniencies)
