"""What the rules about fit share: the setting that costs most, and the figures every one of them gives."""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.base.units import gib
from budgetlint.memory.estimate import Bucket, Estimate, Term
from budgetlint.memory.plan import Plan
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import Setting

FIXED = (Bucket.WEIGHTS, Bucket.GRADIENTS, Bucket.OPTIMIZER)
"""Buckets that no batch and no length changes."""


def written(settings: Iterable[Setting]) -> Setting | None:
    """The first setting that stands in a file."""
    return next((setting for setting in settings if setting.origin.location), None)


def dearest(estimate: Estimate) -> Setting | None:
    """The setting, written somewhere, whose line costs most at the peak."""
    costs: dict[str, tuple[int, Setting]] = {}
    for term in estimate.bill:
        setting = written(term.because)
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


def bytes_at_peak(estimate: Estimate, buckets: Iterable[Bucket]) -> int:
    wanted = set(buckets)
    return sum(term.bytes for term in estimate.bill if term.bucket in wanted)


def outside(estimate: Estimate) -> int:
    """Least context and communication bytes: what the device holds beside tensors."""
    return estimate.need.low - estimate.allocated.low


def moment(estimate: Estimate) -> str:
    """``backward (the loss)``."""
    phase = estimate.phase(estimate.peak_phase)
    return f"{estimate.peak_phase} ({phase.moment})" if phase and phase.moment else estimate.peak_phase


def device_words(run: RunContext) -> str:
    """The device as the budget calls it."""
    return run.target.device.text if run.target and run.target.device else "the device"


def figures(estimate: Estimate) -> dict[str, int | None]:
    """The numbers that every finding about fit carries."""
    return {
        "need_bytes": estimate.need.bytes,
        "need_low_bytes": estimate.need.low,
        "need_high_bytes": estimate.need.high,
        "limit_bytes": estimate.limit,
        "usable_bytes": estimate.usable_low,
    }


def largest(terms: Iterable[Term]) -> Term | None:
    return max(terms, key=lambda term: term.bytes, default=None)


LOW_RANK = ("low-rank", "projector")


def is_low_rank(plan: Plan) -> bool:
    """GaLore, APOLLO and their like: the states of a projection, all weights train."""
    return any(state.layout in LOW_RANK or state.rank for state in plan.optimizer.states)
