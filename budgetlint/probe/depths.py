"""Peaks at full depth from two shallow models: within each part of the step, what is live grows evenly with the layers."""

from __future__ import annotations

from budgetlint.catalog.families import family_of
from budgetlint.catalog.models import architecture_of
from budgetlint.probe.job import Job
from budgetlint.probe.trace import Key, TracedPeak

LEAST = 4
"""First, second, last but one, last: each its own part of the backward."""
MIDDLE = "backward: the layers between"


def depths_of(job: Job) -> tuple[int, int] | None:
    """Two depths to run, None where the model is no deeper than these or its layers differ in an uneven way."""
    arch = architecture_of(job.arch)
    start, period = block_of(job)
    first = start - 2
    lower = first + period * -(-LEAST // period)
    upper = lower + max(period, 2)
    uneven = job.first is not None or (arch.layers - lower) % (upper - lower) % period
    return None if uneven or upper >= arch.layers else (lower, upper)


def block_of(job: Job) -> tuple[int, int]:
    """The first layer and the length of a block of layers that a deeper model has more of."""
    arch = architecture_of(job.arch)
    first = (arch.first_dense_layers or 0) if arch.experts else 0
    return first + 2, family_of(arch.family).layer_period * job.every


def deepened(lower: dict[str, TracedPeak], upper: dict[str, TracedPeak], depths: tuple[int, int], layers: int) -> dict[str, TracedPeak]:
    """The peak of each part at ``layers``. The middle layers' own part is left out: it lies between its neighbours."""
    return {phase: _deeper(lower[phase], upper[phase], depths, layers) for phase in upper if phase in lower and phase != MIDDLE}


def _deeper(lower: TracedPeak, upper: TracedPeak, depths: tuple[int, int], layers: int) -> TracedPeak:
    steps, each = layers - depths[1], depths[1] - depths[0]
    live: dict[Key, int] = {}
    sizes = {**lower.sizes, **upper.sizes}
    for key in sizes:
        before, after = lower.live.get(key, 0), upper.live.get(key, 0)
        live[key] = after + (after - before) * steps // each
    live = {key: count for key, count in live.items() if count}
    return TracedPeak(sum(sizes[key] * count for key, count in live.items()), live, sizes)
