"""The largest micro batch, the longest sequence and the fewest devices that fit: a gallop and a bisection over the estimator.

The need grows with batch and length and falls with devices (from two on), which `tests/solve/test_properties.py` checks on random
runs; so the last value that fits is found between two probes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from budgetlint.base.record import record
from budgetlint.memory.estimate import Estimate, Verdict
from budgetlint.memory.need import HEADROOM_BYTES, HEADROOM_SHARE, PPM
from budgetlint.results.solution import Reach
from budgetlint.solve.whatif import Bench

MOST = 2**32
"""Where a search does not begin: the value does not matter to the run."""

MOST_DEVICES = 2**14


@record
class Trial:
    """A question to the estimator: does this value hold, and how many bytes is it about? ``offered`` is where it stops to hold, by
    the bytes: a guess, which the answers decide."""

    holds: Callable[[int], bool]
    size: Callable[[int], int]
    offered: int


def largest(probe: Trial, start: int = 1) -> int | None:
    """The largest whole number from 1 on that holds, given that all below hold too; None where none does, or even `MOST`."""
    if not probe.holds(1) or probe.holds(MOST):
        return None
    low, high = 1, max(2, min(start, MOST))
    high = min(max(2, _straight(probe, low, high) + 1), MOST)
    while probe.holds(high):
        low, high = high, high * 2
    return _between(probe, low, high)


def _straight(probe: Trial, low: int, high: int) -> int:
    """Where a straight line through two values reaches what is offered; their middle where there is no such line."""
    below, above = probe.size(low), probe.size(high)
    return low + (probe.offered - below) * (high - low) // (above - below) if below < above else (low + high) // 2


def _between(probe: Trial, low: int, high: int) -> int:
    """By interpolation, as the need is nearly linear; every third step by halves, whatever it is."""
    step = 0
    while high - low > 1:
        step += 1
        middle = _straight(probe, low, high) if step % 3 else 0
        if not low < middle < high:  # what decides is not the bytes that the line is of
            middle = (low + high) // 2
        low, high = (middle, high) if probe.holds(middle) else (low, middle)
    return low


def largest_batch(bench: Bench) -> Reach:
    """At the run's own length; without one, nothing can be said."""
    seq = bench.settings.value("seq_len") or bench.settings.value("completion_len")
    return Reach() if seq is None else _reach(bench, "micro_batch", {}, seq)


def longest_seq(bench: Bench) -> Reach:
    """At the run's own micro batch; without one, at 1."""
    batch = bench.settings.value("micro_batch")
    return _reach(bench, "seq_len", {} if batch else {"micro_batch": 1}, batch or 1)


def _reach(bench: Bench, name: str, fixed: dict[str, int], at: int) -> Reach:
    estimate = bench.context.estimate
    if estimate is None or set(estimate.missing) - {"micro_batch", "seq_len"}:
        return Reach()
    if static_exceeds(estimate):
        return Reach(at=at)

    @cache
    def answer(value: int) -> Estimate:
        return bench.with_settings({**fixed, name: value})

    def sure(value: int) -> bool:
        return answer(value).verdict is Verdict.FITS

    def possible(value: int) -> bool:
        return answer(value).verdict in (Verdict.FITS, Verdict.TIGHT)

    now = bench.settings.value(name) or 1
    most, limit = estimate.usable_high or 0, estimate.limit or 0
    if limit == estimate.usable_low:
        limit -= min(HEADROOM_BYTES, limit * HEADROOM_SHARE // PPM)  # no reserve is stated
    fits = largest(Trial(sure, lambda value: answer(value).need.high or 0, limit), now)
    return Reach(fits, largest(Trial(possible, lambda value: answer(value).need.low, most), fits or now), at)


def static_exceeds(estimate: Estimate | None) -> bool:
    """Weights, gradients and optimizer alone, with what the device needs for itself, leave nothing: no batch is small enough."""
    if estimate is None or estimate.limit is None:
        return False
    return estimate.static_bytes + estimate.need.low - estimate.allocated.low > estimate.limit


def fewest_devices(bench: Bench) -> int | None:
    """In all, with the run's own sharding and degrees of model parallelism; None where no number helps."""
    plan = bench.context.plan
    if plan is None or bench.target.device is None:
        return None
    unit: int = max(1, plan.parallel.ranks) * max(plan.parallel.context, plan.parallel.expert)

    def fits(groups: int) -> bool:
        return bench.with_settings(_devices(bench, groups * unit)).verdict is Verdict.FITS

    if fits(1):
        return unit
    if plan.sharding.kind in ("none", "ddp"):
        return None
    groups = 2
    while not fits(groups):
        groups *= 2
        if groups * unit > MOST_DEVICES:
            return None
    halves = Trial(lambda count: not fits(count), lambda _: 0, 0)
    return unit * (groups if groups == 2 else _between(halves, groups // 2, groups) + 1)


def _devices(bench: Bench, count: int) -> dict[str, int]:
    """So many devices on machines like the run's own."""
    each = bench.settings.value("devices_per_node")
    return {"devices": count, **({"devices_per_node": min(each, count), "nodes": -(-count // each)} if each else {})}
