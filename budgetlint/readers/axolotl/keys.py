"""axolotl's one-key settings. Source: axolotl 0.19.0 ``utils/schemas/{config,training,peft,model}.py``."""

from __future__ import annotations

from typing import Any

from budgetlint.documents import Mapping, Sequence
from budgetlint.readers.base import Key, Unreadable, to_bool, to_count, to_dtype, to_float, to_int, to_text, to_words
from budgetlint.readers.unmodelled import asks

MODEL = (
    Key("base_model", "model", to_text),
    Key("trust_remote_code", "trust_remote_code", to_bool),
    Key("tf32", "tf32", to_bool),
    Key("torch_compile", "compile", to_bool),
)
SCHEDULE = (
    Key("learning_rate", "learning_rate", to_float),
    Key("weight_decay", "weight_decay", to_float),
    Key("adam_beta1", "adam_beta1", to_float),
    Key("adam_beta2", "adam_beta2", to_float),
    Key("adam_epsilon", "adam_epsilon", to_float),
    Key("max_grad_norm", "max_grad_norm", to_float),
    Key("lr_scheduler", "lr_scheduler", to_text),
    Key("warmup_steps", "warmup_steps", to_float),
    Key("warmup_ratio", "warmup_ratio", to_float),
    Key("max_steps", "max_steps", to_int),
    Key("num_epochs", "num_epochs", to_float),
)


def to_packed(value: Any) -> Any:
    """A length of packed sequences (up to 0.6; today's schema refuses it)."""
    return to_count(value) is not None


WORKLOAD = (
    Key("max_packed_sequence_len", "packing", to_packed),
    Key("micro_batch_size", "micro_batch", to_count),
    Key("gradient_accumulation_steps", "grad_accum", to_count),
    Key("eval_batch_size", "eval_batch", to_count),
    Key("sequence_len", "seq_len", to_count),
    Key("sample_packing", "packing", to_bool),
    Key("batch_flattening", "padding_free", to_bool),
    Key("pad_to_sequence_len", "pad_to_seq_len", to_bool),
)


def to_rank(value: Any) -> Any:
    rank = to_int(value)
    if isinstance(rank, int) and rank < 1:
        raise Unreadable(f"rank {rank} is not positive", "write 1 or more")
    return rank


LORA = (
    Key("lora_r", "lora_r", to_rank),
    Key("lora_alpha", "lora_alpha", to_float),
    Key("lora_dropout", "lora_dropout", to_float),
    Key("lora_modules_to_save", "lora_modules_to_save", to_words),
    Key("peft_use_dora", "lora_dora", to_bool),
    Key("peft_use_rslora", "lora_rslora", to_bool),
)


def to_degree(value: Any) -> Any:
    """A parallel size; 0 and 1 both mean off."""
    degree = to_int(value)
    return max(degree, 1) if isinstance(degree, int) else degree


PARALLEL = (
    Key("tensor_parallel_size", "tensor_parallel", to_degree),
    Key("sequence_parallel_degree", "context_parallel", to_degree),
    Key("context_parallel_size", "context_parallel", to_degree),
    Key("expert_parallel_size", "expert_parallel", to_degree),
)


def to_bnb_quant(value: Any) -> Any:
    if str(value) not in ("nf4", "fp4"):
        raise Unreadable(f"'{value}' is not a 4-bit type of bitsandbytes", "write nf4 or fp4")
    return str(value)


def to_zero(value: Any) -> Any:
    stage = to_int(value)
    return {0: "ddp", 1: "zero1", 2: "zero2", 3: "zero3"}.get(stage) if isinstance(stage, int) else None


def to_device(value: Any) -> Any:
    word = str(value).lower()
    if isinstance(value, (Mapping, Sequence)) or word not in ("none", "cpu", "nvme"):
        raise Unreadable(f"'{value}' is no place to offload to", "write none, cpu or nvme")
    return word


BNB = (
    Key("bnb_config_kwargs.bnb_4bit_quant_type", "quant", to_bnb_quant),
    Key("bnb_config_kwargs.bnb_4bit_use_double_quant", "quant_double", to_bool),
    Key("quantize_moe_experts", "quant_experts", to_bool),
    Key("bnb_config_kwargs.bnb_4bit_compute_dtype", "quant_compute_dtype", to_dtype),
    Key("bnb_config_kwargs.bnb_4bit_quant_storage", "quant_storage", to_text),
)
INLINE_DEEPSPEED = (
    Key("deepspeed.zero_optimization.stage", "shard", to_zero),
    Key("deepspeed.zero_optimization.offload_optimizer.device", "offload_optimizer", to_device),
    Key("deepspeed.zero_optimization.offload_param.device", "offload_params", to_device),
)

UNMODELLED = (Key("tiled_mlp", "unmodelled", asks("tiled-mlp")),)

EVERY = (*UNMODELLED, *MODEL, *SCHEDULE, *WORKLOAD, *PARALLEL, *INLINE_DEEPSPEED)
