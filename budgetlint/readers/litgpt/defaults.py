"""What LitGPT fills in. Source: litgpt 0.5.13 ``finetune/{full,lora}.py``, ``pretrain.py`` (setup), ``args.py``, ``utils.py``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from budgetlint.readers.base import default
from budgetlint.readers.derived import derived
from budgetlint.readers.hf.defaults import by_version
from budgetlint.settings.run import Setting, Settings, Stack

PAGED = "litgpt utils.py instantiate_bnb_optimizer: bitsandbytes.optim.PagedAdamW with quantised weights"
_FIXED: tuple[tuple[str, Any, str], ...] = (
    ("model_code", "litgpt", "litgpt model.py"),
    ("task", "sft", "litgpt finetune/*.py"),
    ("adapter", "none", "litgpt: only finetune_lora has lora_* arguments"),
    ("quant", "none", "litgpt setup: quantize"),
    ("weights_dtype", "fp32", "litgpt utils.py get_default_supported_precision: bf16-mixed"),
    ("autocast", "bf16", "litgpt utils.py get_default_supported_precision: bf16-mixed"),
    ("attention", "sdpa", "litgpt model.py scaled_dot_product_attention"),
    ("kernels", (), "litgpt has no fused kernels of its own"),
    ("loss", "chunked", "litgpt utils.py chunked_cross_entropy: 128 positions at a time"),
    ("packing", False, "litgpt data: one sample per sequence"),
    ("max_grad_norm", 0.0, "litgpt args.py TrainArgs.max_norm: none"),
    ("nodes", 1, "litgpt setup: num_nodes"),
    ("eval_on", True, "litgpt setup: eval.interval"),
)
_PRETRAINS: tuple[tuple[str, Any, str], ...] = (
    ("micro_batch", 4, "litgpt pretrain.py setup: train.micro_batch_size"),
    ("global_batch", 512, "litgpt pretrain.py setup: train.global_batch_size"),
    ("compile", True, "litgpt pretrain.py main: torch.compile(model)"),
    ("optimizer", "adamw", "litgpt pretrain.py setup: optimizer"),
    ("optimizer_impl", "fused", "litgpt pretrain.py main: fused on CUDA"),
    ("recompute", "none", "litgpt pretrain.py: no activation checkpointing policy"),
    ("max_grad_norm", 1.0, "litgpt pretrain.py setup: train.max_norm"),
)
_TUNES: tuple[tuple[str, Any, str], ...] = (
    ("micro_batch", 1, "litgpt finetune/*.py setup: train.micro_batch_size"),
    ("global_batch", 16, "litgpt finetune/*.py setup: train.global_batch_size"),
    ("num_epochs", 5.0, "litgpt finetune/*.py setup: train.epochs"),
    ("devices_per_node", 1, "litgpt finetune/*.py setup: devices"),
    ("compile", False, "litgpt finetune/*.py: the model is not compiled"),
)
_LORA: tuple[tuple[str, Any, str], ...] = (
    ("lora_r", 8, "litgpt finetune/lora.py setup"),
    ("lora_alpha", 16.0, "litgpt finetune/lora.py setup"),
    ("lora_dropout", 0.05, "litgpt finetune/lora.py setup"),
    ("lora_targets", ("q_proj", "v_proj"), "litgpt finetune/lora.py setup: lora_query, lora_value"),
)


def defaults(settings: Settings, stack: Stack) -> Iterable[Setting]:
    pretrains = settings.value("task") == "pretrain"
    yield from (default(name, value, note) for name, value, note in (*(_PRETRAINS if pretrains else _TUNES), *_FIXED))
    yield from _optimizer(settings)
    if settings.value("adapter") == "lora":
        yield from _lora(settings)
    yield from _split(settings, stack, pretrains)
    yield derived("eval_batch", settings.value("micro_batch", 4 if pretrains else 1), "litgpt get_dataloaders", settings.get("micro_batch"))


def _lora(settings: Settings) -> Iterable[Setting]:
    """Adapters have the dtype of the weights they stand beside."""
    yield from (default(name, value, note) for name, value, note in _LORA)
    weights = settings.get("weights_dtype")
    yield derived("adapter_dtype", weights.value if weights else "fp32", "litgpt lora.py LoRALinear", weights)


def _optimizer(settings: Settings) -> Iterable[Setting]:
    quantised = settings.value("quant", "none") != "none"
    name, note = ("paged_adamw_32bit", PAGED) if quantised else ("adamw", "litgpt setup: optimizer")
    yield default("optimizer", name, note)
    if not quantised:
        yield default("optimizer_impl", "foreach", "torch.optim.optimizer _default_to_fused_or_foreach")


def _split(settings: Settings, stack: Stack, pretrains: bool) -> Iterable[Setting]:
    """One device: neither sharding nor checkpointing. Several: FSDP with every block checkpointed, but for pretraining."""
    world = _world(settings, pretrains)
    if world is None:
        return
    if world == 1:
        yield default("shard", "none", "litgpt setup: one device")
        yield default("recompute", "none", "litgpt setup: checkpointing comes with FSDP only")
    else:
        yield from _sharded(settings, stack, pretrains)
        yield default("recompute", "full", "litgpt finetune/*.py: every Block, with several devices")
        yield default("recompute_reentrant", False, "lightning fabric/strategies/fsdp.py: NO_REENTRANT")
    total, micro = settings.value("global_batch"), settings.value("micro_batch")
    if isinstance(total, int) and isinstance(micro, int) and total // world >= micro:
        yield derived("grad_accum", total // world // micro, "litgpt args.py gradient_accumulation_iters", settings.get("global_batch"))


def _sharded(settings: Settings, stack: Stack, pretrains: bool) -> Iterable[Setting]:
    if settings.value("adapter") == "lora":
        note = "litgpt finetune/lora.py: ModelParallelStrategy (FSDP2) from 0.5.11, FSDPStrategy before"
        yield by_version("shard", stack.at_least("litgpt", "0.5.11"), ("fsdp2", "fsdp"), note)
    yield default("shard", "fsdp", "litgpt setup: FSDPStrategy")
    yield default("shard_strategy", "hybrid" if pretrains else "full", "litgpt setup: FSDPStrategy")
    yield default("wrap", "layer", "litgpt setup: auto_wrap_policy={Block}")
    yield default("reshard_after_forward", True, "torch FSDP")
    yield default("offload_params", "none", "litgpt setup: cpu_offload=False")
    yield default("offload_optimizer", "none", "litgpt setup: cpu_offload=False")
    yield default("state_dict_type", "FULL_STATE_DICT", "litgpt setup: state_dict_type=full")


def _world(settings: Settings, pretrains: bool) -> int | None:
    """Processes in all; None where ``devices: auto`` leaves it to the machine."""
    if settings.value("devices"):
        return int(settings.value("devices"))
    each = settings.get("devices_per_node")
    if each is None:
        return None if pretrains else int(settings.value("nodes", 1))
    return int(each.value) * int(settings.value("nodes", 1)) if each.known else None
