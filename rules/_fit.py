"""What the rules about fit share: the setting that costs most, and the bill in words."""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.memory.plan import Plan
from budgetlint.rule import Bucket, Estimate, Setting, Term, first_located, gib

FIXED = (Bucket.WEIGHTS, Bucket.GRADIENTS, Bucket.OPTIMIZER)
"""Buckets that no batch and no length changes."""


def dearest(estimate: Estimate) -> Setting | None:
    """The setting, written somewhere, whose line costs most at the peak."""
    costs: dict[str, tuple[int, Setting]] = {}
    for term in estimate.bill:
        setting = first_located(term.because)
        if setting is not None:
            costs[setting.name] = (costs.get(setting.name, (0, setting))[0] + term.bytes, setting)
    return max(costs.values(), key=lambda pair: pair[0])[1] if costs else None


def bill_words(estimate: Estimate, most: int = 3) -> str:
    """``weights 13.49 GiB, activations 9.10 GiB, logits 3.48 GiB``: the largest buckets at the peak. Buffers are many things: where they
    are the most, the largest of them is named."""
    sums: dict[Bucket, int] = {}
    for term in estimate.bill:
        sums[term.bucket] = sums.get(term.bucket, 0) + term.bytes
    ranked = sorted(sums.items(), key=lambda item: -item[1])[:most]
    return ", ".join(
        f"{bucket.value}{_which(estimate, bucket) if not index else ''} {gib(size)}" for index, (bucket, size) in enumerate(ranked)
    )


def _which(estimate: Estimate, bucket: Bucket) -> str:
    buffer = largest(term for term in estimate.bill if term.bucket is bucket) if bucket is Bucket.BUFFERS else None
    return f" ({buffer.label})" if buffer is not None else ""


def outside(estimate: Estimate) -> int:
    """Least context and communication bytes: what the device holds beside tensors."""
    return estimate.need.low - estimate.allocated.low


def moment(estimate: Estimate) -> str:
    """``backward (the loss)``."""
    phase = estimate.phase(estimate.peak_phase)
    return f"{estimate.peak_phase} ({phase.moment})" if phase and phase.moment else estimate.peak_phase


def largest(terms: Iterable[Term]) -> Term | None:
    return max(terms, key=lambda term: term.bytes, default=None)


LOW_RANK = ("low-rank", "projector")


def is_low_rank(plan: Plan) -> bool:
    """GaLore, APOLLO and their like: the states of a projection, all weights train."""
    return any(state.layout in LOW_RANK or state.rank for state in plan.optimizer.states)
