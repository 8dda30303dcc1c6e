"""Megatron's arguments that map one to one onto settings; dashes are read as underscores before.

Sources: Megatron-LM ``megatron/training/arguments.py`` and megatron-core 0.16.1 ``transformer/transformer_config.py``,
``optimizer/optimizer_config.py``, ``distributed/distributed_data_parallel_config.py``; older names: core 0.8.0 and Megatron-LM 2.x
(``checkpoint_activations``, ``model_parallel_size``).
"""

from __future__ import annotations

from typing import Any

from budgetlint.readers.base import AUTO, Key, to_bool, to_count, to_float, to_int, to_text
from budgetlint.readers.unmodelled import asks

_BACKENDS = {"flash": "flash", "fused": "flash", "unfused": "eager", "local": "eager"}


def to_backend(value: Any) -> Any:
    """``auto`` leaves the choice to Transformer Engine; ``fused`` is cuDNN's attention, which keeps no scores either."""
    word = str(value).lower().rpartition(".")[2]
    return _BACKENDS.get(word)


def to_recompute(value: Any) -> Any:
    """``selective`` (the core attention, Korthikanti et al. 2022, arXiv 2205.05198 section 5) or ``full``."""
    word = str(value).lower()
    return word if word in ("selective", "full", "none") else None


def to_every(value: Any) -> Any:
    """Layers per checkpoint; 0 and less say nothing."""
    number = to_int(value)
    return number if number is not AUTO and number > 0 else None


def on_means(value: str) -> Any:
    """A switch that only its presence sets."""

    def convert(written: Any) -> Any:
        return value if to_bool(written) is True else None

    return convert


def to_evaluates(value: Any) -> Any:
    return to_int(value) > 0


METHODS = {"uniform": "recompute_every", "block": "recompute_layers"}
"""What the number of layers means, by the method of recomputation."""

PARALLEL = (
    Key("tensor_model_parallel_size", "tensor_parallel", to_count),
    Key("pipeline_model_parallel_size", "pipeline_parallel", to_count),
    Key("context_parallel_size", "context_parallel", to_count),
    Key("expert_model_parallel_size", "expert_parallel", to_count),
    Key("expert_tensor_parallel_size", "expert_tensor_parallel", to_count),
    Key("sequence_parallel", "sequence_parallel", to_bool),
    Key("num_layers_per_virtual_pipeline_stage", "layers_per_virtual_stage", to_count),
    Key("num_virtual_stages_per_pipeline_rank", "virtual_stages", to_count),
    Key("virtual_pipeline_model_parallel_size", "virtual_stages", to_count),
    Key("decoder_first_pipeline_num_layers", "pipeline_first_layers", to_count),
    Key("decoder_last_pipeline_num_layers", "pipeline_last_layers", to_count),
    Key("account_for_embedding_in_pipeline_split", "pipeline_counts_embedding", to_bool),
    Key("account_for_loss_in_pipeline_split", "pipeline_counts_head", to_bool),
    Key("num_layers_in_first_pipeline_stage", "pipeline_first_layers", to_count),
    Key("num_layers_in_last_pipeline_stage", "pipeline_last_layers", to_count),
)
"""Degrees and stages, as Megatron, NeMo, NeMo-RL, verl and ms-swift spell them."""

BATCH = (
    Key("micro_batch_size", "micro_batch", to_count),
    Key("global_batch_size", "global_batch", to_count),
)

RECOMPUTE = (
    Key("checkpoint_activations", "recompute", on_means("full")),
    Key("recompute_activations", "recompute", on_means("selective")),
    Key("recompute_granularity", "recompute", to_recompute),
    Key("distribute_saved_activations", "recompute_partition", to_bool),
    Key("partition_activations", "recompute_partition", to_bool),
)

OPTIMIZER = (
    Key("lr", "learning_rate", to_float),
    Key("weight_decay", "weight_decay", to_float),
    Key("adam_beta1", "adam_beta1", to_float),
    Key("adam_beta2", "adam_beta2", to_float),
    Key("adam_eps", "adam_epsilon", to_float),
    Key("clip_grad", "max_grad_norm", to_float),
    Key("optimizer_cpu_offload", "offload_optimizer", on_means("cpu")),
)

UNMODELLED = (
    Key("mtp_num_layers", "unmodelled", asks("mtp")),
    Key("fp8_param_gather", "unmodelled", asks("fp8-weights")),
    Key("fp8_param", "unmodelled", asks("fp8-weights")),
    Key("cpu_offloading_num_layers", "unmodelled", asks("activation-offload")),
    Key("fine_grained_activation_offloading", "unmodelled", asks("activation-offload")),
    Key("hybrid_override_pattern", "unmodelled", asks("state-space")),
    Key("hybrid_layer_pattern", "unmodelled", asks("state-space")),
)

OWN = (
    *UNMODELLED,
    Key("model_parallel_size", "tensor_parallel", to_count),
    Key("tensor_parallel", "tensor_parallel", to_count),
    *PARALLEL,
    *BATCH,
    *RECOMPUTE,
    *OPTIMIZER,
    Key("batch_size", "micro_batch", to_count),
    Key("seq_length", "seq_len", to_count),
    Key("train_iters", "max_steps", to_int),
    Key("lr_decay_style", "lr_scheduler", to_text),
    Key("lr_warmup_iters", "warmup_steps", to_float),
    Key("lr_warmup_fraction", "warmup_ratio", to_float),
    Key("loss_scale", "loss_scale", to_float),
    Key("use_flash_attn", "attention", on_means("flash")),
    Key("use_flash_attn_v1", "attention", on_means("flash")),
    Key("use_flash_attn_v2", "attention", on_means("flash")),
    Key("use_flash_attn_triton", "attention", on_means("flash")),
    Key("attention_backend", "attention", to_backend),
    Key("eval_iters", "eval_on", to_evaluates),
)
