"""What the vocabulary costs: a loss that never holds all logits at once."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.families import family_of
from budgetlint.frameworks import format_of, patch
from budgetlint.solve.levers.idea import Idea, Situation


def ideas(situation: Situation) -> Iterator[Idea]:
    plan = situation.plan
    if not plan.makes_logits or plan.loss == "logps":
        return
    if plan.loss.startswith("full"):
        if any(format_of(format).liger_key for format in situation.formats):
            yield from _liger(situation)
        else:
            yield Idea(
                "fused loss", "logits", "compute the loss without ever holding the logits (fused linear cross-entropy)", 10,
                "next to no time", "Liger-Kernel, arXiv 2410.10989, section 3.4",
                {"loss": "fused"},
            )  # fmt: skip
            yield Idea(
                "chunked loss", "logits", "compute the loss in chunks of tokens", 11,
                "a few per cent of time", "torchtune 0.6.1 modules/loss/ce_chunked_output_loss.py", {"loss": "chunked"},
            )  # fmt: skip


def _liger(situation: Situation) -> Iterator[Idea]:
    tools = family_of(situation.plan.arch.family).tools
    if tools.liger and tools.liger_head and not situation.value("kernels"):
        yield Idea(
            "fused loss", "logits", "Liger kernels: fused norms, activations and loss", 10,
            "none: about as fast or faster, the loss equal up to rounding", "Liger-Kernel, arXiv 2410.10989, section 4",
            {"kernels": patch("liger-kernel", "kernels").value},
        )  # fmt: skip
