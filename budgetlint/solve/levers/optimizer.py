"""What the optimizer keeps: smaller states, fewer trained parameters, states that may leave the device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.solve.levers.idea import Idea, Situation

EIGHT_BIT = {
    "adamw": "adamw8bit", "adamw_torch_fused": "adamw8bit", "adamw_hf": "adamw8bit", "adamw_bnb_32bit": "adamw8bit",
    "adamw_apex_fused": "adamw8bit", "adam": "adam8bit", "adam_bnb_32bit": "adam8bit", "lion_32bit": "lion_8bit", "lion": "lion_8bit",
    "ademamix": "ademamix_8bit", "paged_adamw_32bit": "paged_adamw_8bit", "paged_adam_32bit": "paged_adam_8bit",
    "paged_lion_32bit": "paged_lion_8bit", "paged_ademamix_32bit": "paged_ademamix_8bit",
}  # fmt: skip
PAGED = {
    "adamw": "paged_adamw_32bit", "adamw_torch_fused": "paged_adamw_32bit", "adamw_hf": "paged_adamw_32bit",
    "adamw_bnb_32bit": "paged_adamw_32bit", "adamw8bit": "paged_adamw_8bit", "adam": "paged_adam_32bit", "adam8bit": "paged_adam_8bit",
    "lion_32bit": "paged_lion_32bit", "lion_8bit": "paged_lion_8bit", "ademamix": "paged_ademamix_32bit",
    "ademamix_8bit": "paged_ademamix_8bit",
}  # fmt: skip
"""bitsandbytes 0.50 optim/: the classes that have a sibling with 8-bit or paged states."""

ADAPTER: dict[str, Any] = {"adapter": "lora", "lora_r": 16, "lora_targets": ("all-linear",)}


def ideas(situation: Situation) -> Iterator[Idea]:
    yield from _fused_step(situation)
    yield from _smaller_states(situation)
    yield from _adapter(situation)
    yield from _sgd(situation)


def _fused_step(situation: Situation) -> Iterator[Idea]:
    plan = situation.plan
    if plan.optimizer.name == "adamw" and plan.optimizer_impl in ("", "foreach"):
        yield Idea(
            "fused step", "optimizer", "fused AdamW: the step makes no lists of temporaries", 16,
            "none: faster", "torch optim/adamw.py, fused", {"optimizer": "adamw_torch_fused"},
        )  # fmt: skip


def _smaller_states(situation: Situation) -> Iterator[Idea]:
    """bitsandbytes' classes know nothing of tensors that are split over devices or lie on the host."""
    plan, name = situation.plan, situation.plan.optimizer.name
    if plan.sharding.kind not in ("none", "ddp") or plan.parallel.on or not _bitsandbytes(situation):
        return
    if name in EIGHT_BIT:
        yield Idea(
            "8-bit states", "optimizer", f"8-bit optimizer states ({EIGHT_BIT[name]})", 30,
            "quality as with 32-bit states in the paper's runs; the step a little slower", "Dettmers et al. 2021, arXiv 2110.02861",
            {"optimizer": EIGHT_BIT[name]},
        )  # fmt: skip
    if name in PAGED:
        yield Idea(
            "paged states", "optimizer", f"paged optimizer states ({PAGED[name]})", 60,
            "no steady saving: where memory runs out the step waits for the host instead of failing", "Dettmers et al. 2023, "
            "arXiv 2305.14314, section 3", {"optimizer": PAGED[name]},
        )  # fmt: skip


def _bitsandbytes(situation: Situation) -> bool:
    device = situation.plan.device
    return (device is None or device.vendor == "nvidia") and situation.plan.model_code in ("transformers", "litgpt", "torchtune")


def adapts(situation: Situation) -> bool:
    """The model itself trains, and not from scratch."""
    plan = situation.plan
    scratch = situation.value("task") == "pretrain"
    projected = any(
        state.layout in ("low-rank", "projector") for state in plan.optimizer.states
    )  # GaLore, APOLLO: a projection of their own
    known = situation.decoder and plan.model_code in ("transformers", "litgpt", "torchtune")
    return plan.adapter is None and known and not scratch and not projected


def _adapter(situation: Situation) -> Iterator[Idea]:
    if adapts(situation) and not situation.plan.beside:
        yield Idea(
            "adapter", "optimizer", "train a LoRA adapter (r=16, all linear layers) instead of the model", 42,
            "quality: learns less than full training, and forgets less; needs about 10x the learning rate",
            "Biderman et al. 2024, arXiv 2405.09673", ADAPTER,
        )  # fmt: skip


def _sgd(situation: Situation) -> Iterator[Idea]:
    plan = situation.plan
    if plan.optimizer.states and plan.optimizer.name != "momentum" and not plan.sharding.is_zero:
        yield Idea(
            "sgd", "optimizer", "SGD without momentum: no optimizer states", 90,
            "quality: transformers train badly without an adaptive optimizer", "Zhang et al. 2020, arXiv 1912.03194",
            {"optimizer": "sgd"}, last=True,
        )  # fmt: skip
