"""The levers, one module for each kind of memory; `ideas` asks them all. Nothing here says what a lever brings: that is estimated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from budgetlint.frameworks import manifests
from budgetlint.solve.levers import activations, logits, optimizer, sharding, weights, workload
from budgetlint.solve.levers.idea import Idea, Situation

FAMILIES = (logits.ideas, activations.ideas, weights.ideas, optimizer.ideas, sharding.ideas, workload.ideas)


@cache
def _without() -> Mapping[str, tuple[str, ...]]:
    """Model code -> the levers that it has no switch for."""
    return {manifest.model_code: manifest.without for manifest in manifests() if manifest.without}


def ideas(situation: Situation) -> Iterator[Idea]:
    """Everything that could be changed about a run, told or not by what it brings."""
    missing = _without().get(situation.plan.model_code, ())
    for family in FAMILIES:
        yield from (idea for idea in family(situation) if idea.name not in missing)
