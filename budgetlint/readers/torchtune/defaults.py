"""What torchtune's recipes and builders fill in. Source: torchtune 0.6.1 ``recipes/*.py`` and ``models/*/_model_builders.py``."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import Any

from budgetlint.readers.base import ENDS, default, hidden, unsettled
from budgetlint.readers.derived import derived
from budgetlint.readers.hf.defaults import by_version
from budgetlint.settings.run import Setting, Settings, Stack

_RECIPES = "torchtune recipes: cfg.get"
_FIXED: tuple[tuple[str, Any, str], ...] = (
    ("model_code", "torchtune", "torchtune modules/transformer.py"),
    ("task", "sft", "torchtune recipes"),
    ("adapter", "none", "torchtune: the builder's name says lora_ or qlora_"),
    ("quant", "none", "torchtune: the builder's name says qlora_"),
    ("autocast", "none", "torchtune recipes: everything in dtype"),
    ("recompute", "none", f"{_RECIPES}('enable_activation_checkpointing', False)"),
    ("recompute_offload", False, f"{_RECIPES}('enable_activation_offloading', False)"),
    ("recompute_reentrant", False, "torch checkpoint_wrapper: CheckpointImpl.NO_REENTRANT"),
    ("kernels", (), "torchtune has no fused kernels of its own"),
    ("compile", False, f"{_RECIPES}('compile', False)"),
    ("packing", False, "torchtune datasets: packed=False"),
    ("pad_to_seq_len", False, "torchtune data/_collate.py: to the longest of the batch"),
    ("max_grad_norm", 0.0, f"{_RECIPES}('clip_grad_norm', None)"),
    ("optimizer_in_backward", False, f"{_RECIPES}('optimizer_in_bwd', False)"),
    ("eval_on", False, f"{_RECIPES}('run_val_every_n_steps')"),
    ("save_strategy", "epoch", "torchtune recipes: after each epoch"),
)
_SHARDED: tuple[tuple[str, Any, str], ...] = (
    ("shard_strategy", "full", "torchtune training/_distributed.py shard_model: fully_shard"),
    ("wrap", "layer", "torchtune training/_distributed.py get_shard_conditions"),
    ("reshard_after_forward", True, f"{_RECIPES}('fsdp_reshard_after_forward', True)"),
    ("offload_params", "none", f"{_RECIPES}('fsdp_cpu_offload', False)"),
    ("offload_optimizer", "none", f"{_RECIPES}('fsdp_cpu_offload', False)"),
)
_LORA: tuple[tuple[str, Any, str], ...] = (
    ("lora_r", 8, "torchtune model builders: lora_rank"),
    ("lora_alpha", 16.0, "torchtune model builders: lora_alpha"),
    ("lora_dora", False, "torchtune model builders: use_dora"),
)


STOCK = frozenset({
    "full_finetune_single_device", "full_finetune_distributed", "lora_finetune_single_device", "lora_finetune_distributed",
    "lora_finetune_distributed_multi_dataset", "early_exit_finetune_distributed", "full_dpo_distributed", "lora_dpo_single_device",
    "lora_dpo_distributed", "ppo_full_finetune_single_device", "knowledge_distillation_single_device",
    "knowledge_distillation_distributed", "qat_single_device", "qat_distributed", "qat_lora_finetune_distributed",
    "grpo_full_finetune_distributed", "async_grpo_full_finetune_distributed",
})  # fmt: skip
"""Recipes of torchtune 0.3 to 0.6.1 and main (``_recipe_registry.py``). A copy (``tune cp``) keeps its name and most of what it does."""
_BUILT = ("torch.", "torchtune model builders:")
_OWN = "the project's own recipe: its code decides"


def of_program(filled: Iterable[Setting], program: str) -> Iterator[Setting]:
    """What a recipe of the project does where its config is silent is not known; what torch's classes and torchtune's builders do is."""
    own = program.endswith(".py") and posixpath.basename(program).removesuffix(".py") not in STOCK
    for one in filled:
        yield hidden(one.name, ENDS.get(one.name, ()), _OWN) if own and not one.origin.note.startswith(_BUILT) else one


def defaults(settings: Settings, stack: Stack) -> Iterable[Setting]:
    yield from (default(name, value, note) for name, value, note in _FIXED)
    yield _attention(settings, stack)
    yield from _shard(settings)
    if settings.value("adapter") == "lora":
        yield from (default(name, value, note) for name, value, note in _LORA)
        newer = stack.at_least("torchtune", "0.3.0")
        yield by_version("lora_dropout", newer, (0.0, 0.05), "torchtune model builders: lora_dropout 0.0 from 0.3.0, 0.05 before")
    if settings.value("quant", "none") != "none":
        yield derived("quant_compute_dtype", settings.value("weights_dtype", "bf16"), "torchtune modules/peft/lora.py", None)
    yield from _optimizer(settings)


def _attention(settings: Settings, stack: Stack) -> Setting:
    """Packed samples come with a ``BlockMask``, which flex attention takes where torch has it and the card can run it
    (``utils/_import_guard.py`` ``_SUPPORTS_FLEX_ATTENTION``: torch 2.5, compute capability 7.5)."""
    note = "torchtune modules/attention_utils.py"
    packed = settings.get("packing")
    if packed is None or packed.value is False or stack.at_least("torch", "2.5") is False:
        return default("attention", "sdpa", note)
    return unsettled("attention", ("flex", "sdpa"), f"{note}: flex attention for packed samples on torch 2.5 and compute capability 7.5")


def _shard(settings: Settings) -> Iterable[Setting]:
    """Several processes mean a distributed recipe, and that means FSDP2."""
    several = next((one for name in ("devices", "devices_per_node", "nodes") if (one := settings.get(name)) and (one.value or 0) > 1), None)
    if several is not None:
        yield derived("shard", "fsdp2", "torchtune: distributed recipes shard with fully_shard", several)
    if several is not None or settings.value("shard") == "fsdp2":
        yield from (default(name, value, note) for name, value, note in _SHARDED)


def _optimizer(settings: Settings) -> Iterable[Setting]:
    """``torch.optim`` classes walk the parameters with foreach on CUDA unless told otherwise."""
    named = settings.get("optimizer")
    if named is not None and named.text.startswith("torch.optim.Adam"):
        yield default("optimizer_impl", "foreach", "torch.optim.optimizer _default_to_fused_or_foreach")
        yield default("weight_decay", 0.01 if named.text.endswith("AdamW") else 0.0, f"{named.text} weight_decay")
