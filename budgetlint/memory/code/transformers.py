"""transformers: its modeling_*.py under its Trainer, or a trainer that builds on it.

Its layers are the programs of `families.py`, its losses the recipes of `loss.py`; this is what else only it does.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import family_of
from budgetlint.catalog.family import Basis
from budgetlint.memory import loss_tiled
from budgetlint.memory.code.base import PEFT, ModelCode, Splits, is_adapters
from budgetlint.memory.families import basis_of
from budgetlint.memory.plan import Plan
from budgetlint.memory.term import Source, Term
from budgetlint.settings.run import Settings, Stack

VERSION = "5.24.0"
_ATTENTION = ("attention.", "cross-attention.", "q_", "k_", "v_", "o_", "kv_", "qkv_", "q-", "k-", "kv-")


class Transformers(ModelCode):
    measured = True
    evaluates_with_a_trainer = True
    loss_inside = True
    """Its trainers hand the labels to the model: torch.compile takes the forward with its loss (transformers 5.24.0 training_args.py
    ``torch_compile``; accelerate 1.15.0 accelerator.py ``prepare_model`` after autocast and fp32 outputs are wrapped around it)."""

    splits = Splits(sequence=False, embedding=False, logits=False)
    """transformers 5.24.0 configuration_llama.py ``base_model_tp_plan``, modeling_llama.py ``_tp_plan``: the embedding is whole, the
    logits are gathered."""

    def widens_embedding(self, stack: Stack) -> bool:
        """The Trainer registers every ``nn.Embedding`` for 32-bit states (4.53.0 to 5.24.0 trainer.py ``create_optimizer``; 4.50.0 looks
        for a class that it never makes). An unknown version counts as not."""
        return bool(stack.at_least("transformers", "4.53.0"))

    def basis(self, plan: Plan) -> Basis:
        return basis_of(plan)

    def loss_recipe(self, plan: Plan, stack: Stack) -> str:
        """A chunked head is TRL's: tiles from 1.15.0 on, before that 256 tokens at a time."""
        if plan.loss == "chunked":
            return "tiled" if stack.at_least("trl", loss_tiled.SINCE) else "chunked"
        return super().loss_recipe(plan, stack)

    def loss_forward(self, plan: Plan) -> Iterator[Term]:
        tiled = plan.loss == "tiled" and plan.makes_logits
        return loss_tiled.forward(plan) if tiled else super().loss_forward(plan)

    def loss_backward(self, plan: Plan) -> Iterator[Term]:
        tiled = plan.loss == "tiled" and plan.makes_logits
        return loss_tiled.backward(plan) if tiled else super().loss_backward(plan)

    def repeats_keys(self, settings: Settings, arch: Architecture, stack: Stack) -> bool:
        """For sdpa until transformers 4.54 or torch 2.5 (integrations/sdpa_attention.py ``use_gqa_in_sdpa``), for flash in some families
        until 4.48. Unsloth has its own forward."""
        if "lora" in (settings.value("kernels", ()) or ()):
            return False
        if settings.value("attention", "") in ("flash", "flex"):
            return family_of(arch.family).repeats_for_flash and stack.at_least("transformers", "4.48") is False
        return stack.at_least("transformers", "4.54") is False or stack.at_least("torch", "2.5") is False

    def accumulates_unreduced(self, settings: Settings, stack: Stack) -> bool:
        """5.3 trainer.py; ``sync_each_batch`` has no effect from 4.46 to 5.1."""
        if settings.value("sync_each_batch"):
            return stack.at_least("transformers", "5.2") is False and stack.at_least("transformers", "4.46") is not False
        return True

    def place_in_layer(self, name: str, plan: Plan) -> Source | None:
        """The class of its family's modeling file; experts run in one place for all."""
        family = plan.arch.family
        if is_adapters(name):
            return PEFT
        if name.startswith("experts."):
            return None if plan.expert_loop else Source("transformers", VERSION, "integrations/moe.py", "grouped_mm_experts_forward")
        if name.startswith(_ATTENTION) and "norm" not in name:
            return modeling(family, 2)
        if "norm." in name:
            return None if "rms_norm" in plan.kernels else modeling(family, 1)
        if name.startswith(("mlp.", "gate_", "up_", "down_")):
            return modeling(family, 3)
        return modeling(family)


def modeling(family: str, part: int = 0) -> Source | None:
    """The modeling file of a family; ``part`` picks a class there (`budgetlint.catalog.family.Family.classes`)."""
    found = family_of(family).classes
    if not found:
        return None
    return Source("transformers", VERSION, f"models/{found[0]}/modeling_{found[0]}.py", found[part] if part else "")
