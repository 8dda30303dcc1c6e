"""What the rules about formats and kernels pass over: recipes for Apple's GPUs."""

from __future__ import annotations

from budgetlint.base.expression import expression
from budgetlint.rule import RunContext

_MPS = expression(r"(?:^|[/_.-])mps(?:[/_.-]|$)")


def for_apple(run: RunContext) -> bool:
    """A recipe for Apple's GPUs, by its name (``lora-mps.yml``): bitsandbytes and bf16 are switched off there."""
    trainer = run.run.trainer
    return trainer is not None and bool(_MPS.search(trainer.document.path.lower()))
