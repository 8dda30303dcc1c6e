"""torchtitan's one-key settings, new names and old ones.

Sources: torchtitan 0.1.0 to 0.2.2 ``config/job_config.py``; the names before 0.1.0 (``training.batch_size``,
``training.data_parallel_degree``, ``experimental.*``) from 0.0.2 ``config_manager.py``.
"""

from __future__ import annotations

from typing import Any

from budgetlint.readers.base import Key, Unreadable, to_bool, to_count, to_dtype, to_float, to_int


def to_place(value: Any) -> Any:
    return "cpu" if to_bool(value) else "none"


def to_batch(value: Any) -> Any:
    """-1 is the default: no accumulation."""
    return None if value == -1 else to_count(value)


def to_implementation(value: Any) -> Any:
    if value not in ("for-loop", "foreach", "fused"):
        raise Unreadable(f"'{value}' is no implementation of the step", "write fused, foreach or for-loop")
    return value


def to_fused(value: Any) -> Any:
    return "fused" if to_bool(value) else "foreach"


def to_whole(value: Any) -> Any:
    """Without loss parallelism each rank has all logits."""
    return not to_bool(value)


KEYS = (
    Key("training.batch_size", "micro_batch", to_count),
    Key("training.local_batch_size", "micro_batch", to_count),
    Key("training.global_batch_size", "global_batch", to_batch),
    Key("training.seq_len", "seq_len", to_count),
    Key("training.max_norm", "max_grad_norm", to_float),
    Key("training.steps", "max_steps", to_int),
    Key("training.dtype", "weights_dtype", to_dtype),
    Key("training.enable_cpu_offload", "offload_params", to_place),
    Key("training.enable_cpu_offload", "offload_optimizer", to_place),
    Key("training.warmup_steps", "warmup_steps", to_float),
    Key("lr_scheduler.warmup_steps", "warmup_steps", to_float),
    Key("lr_scheduler.decay_type", "lr_scheduler"),
    Key("optimizer.lr", "learning_rate", to_float),
    Key("optimizer.weight_decay", "weight_decay", to_float),
    Key("optimizer.beta1", "adam_beta1", to_float),
    Key("optimizer.beta2", "adam_beta2", to_float),
    Key("optimizer.eps", "adam_epsilon", to_float),
    Key("optimizer.fused", "optimizer_impl", to_fused),
    Key("optimizer.implementation", "optimizer_impl", to_implementation),
    Key("optimizer.early_step_in_backward", "optimizer_in_backward", to_bool),
    Key("training.tensor_parallel_degree", "tensor_parallel", to_count),
    Key("parallelism.tensor_parallel_degree", "tensor_parallel", to_count),
    Key("experimental.pipeline_parallel_degree", "pipeline_parallel", to_count),
    Key("parallelism.pipeline_parallel_degree", "pipeline_parallel", to_count),
    Key("experimental.context_parallel_degree", "context_parallel", to_count),
    Key("parallelism.context_parallel_degree", "context_parallel", to_count),
    Key("parallelism.expert_parallel_degree", "expert_parallel", to_count),
    Key("parallelism.expert_tensor_parallel_degree", "expert_tensor_parallel", to_count),
    Key("parallelism.disable_loss_parallel", "vocab_parallel", to_whole),
    Key("parallelism.pipeline_parallel_schedule", "pipeline_schedule"),
    Key("parallelism.pipeline_parallel_microbatch_size", "pipeline_micro_batch", to_count),
    Key("parallelism.pipeline_parallel_layers_per_stage", "layers_per_virtual_stage", to_count),
    Key("validation.enable", "eval_on", to_bool),
    Key("validation.local_batch_size", "eval_batch", to_count),
)
