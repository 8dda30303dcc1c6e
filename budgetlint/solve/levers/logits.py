"""What the vocabulary costs: a loss that never holds all logits at once."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.frameworks import format_of
from budgetlint.solve.levers.idea import Idea, Situation

LIGER = ("rms_norm", "rope", "swiglu", "linear_cross_entropy")
"""liger-kernel 0.8 monkey_patch.py: what ``apply_liger_kernel_to_...`` switches on by itself."""

LIGER_FAMILIES = frozenset({
    "llama", "mistral", "mixtral", "gemma", "gemma2", "gemma3", "gemma3_text", "qwen2", "qwen2_vl", "qwen3", "qwen3_moe", "phi3",
    "granite", "olmo2", "glm4",
})  # fmt: skip
"""liger-kernel 0.6 monkey_patch.py MODEL_TYPE_TO_APPLY_LIGER_FN."""


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
                "a few per cent of time", "torchtune modules/loss/cross_entropy_loss.py", {"loss": "chunked"},
            )  # fmt: skip


def _liger(situation: Situation) -> Iterator[Idea]:
    if situation.plan.arch.family in LIGER_FAMILIES and not situation.value("kernels"):
        yield Idea(
            "fused loss", "logits", "Liger kernels: fused norms, activations and loss", 10,
            "none: about as fast or faster, the loss equal up to rounding", "Liger-Kernel, arXiv 2410.10989, section 4",
            {"kernels": LIGER},
        )  # fmt: skip
