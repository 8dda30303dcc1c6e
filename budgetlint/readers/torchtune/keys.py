"""torchtune's one-key settings.

Sources: torchtune 0.6.1 ``recipes/{full_finetune,lora_finetune,full_dpo,lora_dpo,qat}_*.py`` (``cfg.…``), main for the
``*_dim`` keys and validation; LoRA arguments: ``torchtune/models/*/_model_builders.py``.
"""

from __future__ import annotations

from typing import Any

from budgetlint.readers.base import AUTO, Key, to_bool, to_count, to_dtype, to_float, to_int, to_text


def to_checkpointing(value: Any) -> Any:
    return "full" if to_bool(value) else "none"


def to_place(value: Any) -> Any:
    return "cpu" if to_bool(value) else "none"


def to_evaluates(value: Any) -> Any:
    number = to_int(value)
    return number if number == AUTO else number > 0


def to_schedule(value: Any) -> Any:
    return to_text(value).rpartition(".")[2]


RECIPE = (
    Key("batch_size", "micro_batch", to_count),
    Key("gradient_accumulation_steps", "grad_accum", to_count),
    Key("epochs", "num_epochs", to_float),
    Key("clip_grad_norm", "max_grad_norm", to_float),
    Key("compile", "compile", to_bool),
    Key("enable_activation_checkpointing", "recompute", to_checkpointing),
    Key("enable_activation_offloading", "recompute_offload", to_bool),
    Key("optimizer_in_bwd", "optimizer_in_backward", to_bool),
    Key("optimizer.lr", "learning_rate", to_float),
    Key("optimizer.weight_decay", "weight_decay", to_float),
    Key("optimizer.eps", "adam_epsilon", to_float),
    Key("lr_scheduler._component_", "lr_scheduler", to_schedule),
    Key("lr_scheduler.num_warmup_steps", "warmup_steps", to_float),
    Key("batch_size_val", "eval_batch", to_count),
    Key("run_val_every_n_steps", "eval_on", to_evaluates),
    Key("fsdp_cpu_offload", "offload_params", to_place),
    Key("fsdp_cpu_offload", "offload_optimizer", to_place),
    Key("fsdp_reshard_after_forward", "reshard_after_forward", to_bool),
    Key("tensor_parallel_dim", "tensor_parallel", to_count),
    Key("context_parallel_dim", "context_parallel", to_count),
    Key("expert_parallel_dim", "expert_parallel", to_count),
)
"""Keys that may stand at the top or, in the asynchronous GRPO recipe, in ``training``."""

TOP = (
    Key("dtype", "weights_dtype", to_dtype),
    Key("dataset.max_seq_len", "seq_len", to_count),
    Key("max_seq_length", "seq_len", to_count),
    Key("tokenizer.max_seq_len", "seq_len", to_count),
    Key("dataset.packed", "packing", to_bool),
    Key("dataset.packed", "pad_to_seq_len", to_bool),
)
"""A packed dataset pads its last sequence to ``tokenizer.max_seq_len`` (``datasets/_packed.py``)."""

LORA = (
    Key("model.lora_rank", "lora_r", to_count),
    Key("model.lora_alpha", "lora_alpha", to_float),
    Key("model.lora_dropout", "lora_dropout", to_float),
    Key("model.use_dora", "lora_dora", to_bool),
    Key("dtype", "adapter_dtype", to_dtype),
)
"""The model is built under the recipe's dtype, adapters included (``set_default_dtype``)."""
