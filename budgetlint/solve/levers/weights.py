"""What the parameters take: their dtype, a quantised base."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.solve.levers.idea import Idea, Situation
from budgetlint.solve.levers.optimizer import ADAPTER, adapts

QLORA = "Dettmers et al. 2023, arXiv 2305.14314"


def ideas(situation: Situation) -> Iterator[Idea]:
    yield from _dtype(situation)
    yield from _quantised(situation)


def _dtype(situation: Situation) -> Iterator[Idea]:
    plan = situation.plan
    if plan.precision.weights != 4 or plan.sharding.is_zero or not situation.bf16 or plan.quant is not None:
        return
    if plan.adapter is not None:
        yield Idea(
            "16-bit base", "weights", "load the frozen base in bf16", 15,
            "none to speak of: the base does not train", QLORA, _in_bf16(situation, "bf16"),
        )  # fmt: skip
    else:
        yield Idea(
            "pure bf16", "weights", "keep weights, gradients and states in bf16 (no fp32 copy)", 80,
            "quality: updates below 1/256 of a weight are rounded away", "Zamirai et al. 2020, arXiv 2010.06192",
            _in_bf16(situation, "bf16-pure"), last=True,
        )  # fmt: skip


def _in_bf16(situation: Situation, recipe: str) -> dict[str, Any]:
    return {"precision": recipe} if situation.value("precision") else {"weights_dtype": "bf16"}


def _quantised(situation: Situation) -> Iterator[Idea]:
    """Packed weights are not split over devices: FSDP and ZeRO-3 ask for more than a key (bitsandbytes docs, FSDP-QLoRA)."""
    plan = situation.plan
    shared = plan.sharding.params_over > 1 or plan.parallel.on
    if shared or plan.model_code not in ("transformers", "litgpt", "torchtune") or not situation.decoder:
        return
    packed = {"quant": "nf4", **({"quant_double": True} if plan.model_code == "transformers" else {})}
    if plan.adapter is not None and plan.quant is None:
        yield Idea(
            "4-bit base", "weights", "quantise the frozen base to 4 bit (NF4)", 40,
            "time to dequantise each layer; quality about that of 16 bit", QLORA, packed,
        )  # fmt: skip
    elif plan.adapter is not None and plan.quant is not None and plan.quant.kind == "int8":
        yield Idea(
            "4-bit base", "weights", "quantise the frozen base to 4 bit (NF4) instead of 8", 40,
            "quality about that of 16 bit", QLORA, packed,
        )  # fmt: skip
    elif plan.quant is None and adapts(situation):
        yield Idea(
            "qlora", "weights", "train a LoRA adapter (r=16, all linear layers) on a 4-bit base instead of the model (QLoRA)", 45,
            "quality: learns less than full training; time for dequantising", f"{QLORA}; Biderman et al. 2024, arXiv 2405.09673",
            {**ADAPTER, **packed},
        )  # fmt: skip
