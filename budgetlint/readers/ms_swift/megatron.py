"""``megatron sft`` and its like of ms-swift: Megatron's arguments with ms-swift's defaults.

Source: ms_swift 4.6.0 ``swift/megatron/arguments/megatron_args.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.documents import Document, Loader
from budgetlint.readers.base import Key, default, read_keys, to_bool, to_count, to_text
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.megatron.engine import accumulation, engine_defaults, read_precision, read_shard, read_states
from budgetlint.readers.megatron.keys import OWN as MEGATRON
from budgetlint.readers.ms_swift.keys import VISION, to_weights
from budgetlint.readers.ms_swift.parts import rlhf, tuner
from budgetlint.readers.optimizer_names import read_optimizer
from budgetlint.settings.run import Misread, Setting, Settings

_OWN = (
    *(key for key in MEGATRON if key.path != "loss_scale"),
    Key("model", "model", to_text),
    Key("max_length", "seq_len", to_count),
    Key("packing", "packing", to_bool),
    Key("padding_free", "padding_free", to_bool),
    *VISION,
)
"""``loss_scale`` of ms-swift weighs tokens."""


def is_megatron(keys: frozenset[str]) -> bool:
    return "micro_batch_size" in keys and "per_device_train_batch_size" not in keys


def read_megatron(document: Document, loader: Loader) -> tuple[Settings, list[Misread]]:
    settings, misreads = read_keys(document, loader, _OWN)
    look = Lookup(document, loader, "", misreads)
    raw = look.raw("optimizer")
    together = [
        *tuner(look), *_rlhf(look), *_precision(look), *read_states(look), *read_shard(look),
        *(read_optimizer(raw, "megatron", misreads) if raw else ()),
    ]  # fmt: skip
    return Settings((*settings, *together, default("model_code", "megatron", "megatron-core runs the model"))), misreads


def _precision(look: Lookup) -> Iterator[Setting]:
    stated = list(read_precision(look))
    if stated:
        yield from stated
        return
    dtype = look.setting("weights_dtype", to_weights, "torch_dtype")
    if dtype is not None and dtype.value in ("bf16", "fp16"):
        yield dtype
        yield Setting("engine_dtype", dtype.value, dtype.origin, dtype.text)


_ARGUMENTS = "ms-swift megatron/arguments/megatron_args.py "
_FIXED: tuple[tuple[str, Any, str], ...] = (
    ("task", "sft", "megatron sft"),
    ("adapter", "none", "tuner_type: full"),
    ("quant", "none", "no quantised base"),
    ("train_vision", False, "freeze_vit: true"),
    ("train_projector", False, "freeze_aligner: true"),
    ("micro_batch", 1, "micro_batch_size"),
    ("global_batch", 16, "global_batch_size"),
    ("recompute", "selective", "recompute_granularity"),
    ("optimizer", "megatron_adam", "optimizer: adam"),
    ("weight_decay", 0.1, "weight_decay"),
    ("adam_beta1", 0.9, "adam_beta1"),
    ("adam_beta2", 0.95, "adam_beta2"),
    ("max_grad_norm", 1.0, "clip_grad"),
    ("lr_scheduler", "cosine", "lr_decay_style"),
    ("shard", "zero1", "use_distributed_optimizer"),
    ("attention", "flash", "attention_backend"),
    ("padding_free", True, "padding_free"),
    ("packing", False, "packing"),
    ("tensor_parallel", 1, "tensor_model_parallel_size"),
    ("pipeline_parallel", 1, "pipeline_model_parallel_size"),
    ("expert_tensor_parallel", 1, "expert_tensor_parallel_size"),
    ("sequence_parallel", False, "sequence_parallel"),
    ("weights_dtype", "bf16", "torch_dtype: the checkpoint's; bf16 of nearly all"),
    ("engine_dtype", "bf16", "bf16 follows torch_dtype"),
    ("master_dtype", "fp32", "main_params_dtype"),
    ("grads_dtype", "fp32", "main_grads_dtype"),
    ("autocast", "none", "weights are kept in their own dtype"),
    ("kernels", ("cross_entropy",), "cross_entropy_loss_fusion"),
    ("lora_r", 8, "lora_rank"),
    ("lora_alpha", 32.0, "lora_alpha"),
    ("lora_dropout", 0.05, "lora_dropout"),
    ("lora_targets", ("all-linear",), "target_modules"),
)


_ROLLOUT: tuple[tuple[str, Any, str], ...] = (
    ("rollout_engine", "vllm", "use_vllm: true"),
    ("rollout_memory", 0.9, "vllm_gpu_memory_utilization"),
    ("rollout_sleeps", False, "sleep_level: 0"),
)


def megatron_defaults(settings: Settings) -> Iterator[Setting]:
    if settings.value("task") == "grpo":
        yield from (default(name, value, _ARGUMENTS + key) for name, value, key in _ROLLOUT)
    adapted = settings.value("adapter") == "lora"
    skipped = () if adapted else ("lora_r", "lora_alpha", "lora_dropout", "lora_targets")
    yield from (default(name, value, _ARGUMENTS + key) for name, value, key in _FIXED if name not in skipped)
    yield default("learning_rate", 1e-4 if adapted else 1e-5, _ARGUMENTS + "lr: 1e-5 for full tuning, else 1e-4")
    yield from engine_defaults(settings)
    yield from accumulation(settings)


def _rlhf(look: Lookup) -> list[Setting]:
    """Megatron makes logits of the whole sequence."""
    return [setting for setting in rlhf(look) if setting.name != "completion_len"]
