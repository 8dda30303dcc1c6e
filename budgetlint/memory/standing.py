"""How a run stands on a device: its need and its verdict, of which plans' sums are enough. Pure, no files, no torch."""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.base.record import record, replace
from budgetlint.catalog.device import Device
from budgetlint.memory import rollouts
from budgetlint.memory.estimate import Range, Verdict
from budgetlint.memory.host import host_bytes
from budgetlint.memory.layout import with_world
from budgetlint.memory.need import NOTHING, Totals, is_shared, totals, verdict
from budgetlint.memory.peak import Sum, Sums
from budgetlint.memory.plan import Plan
from budgetlint.memory.planner import Planned
from budgetlint.memory.static import trainable
from budgetlint.memory.unmodelled import TABLE

WORLDS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


@record
class Capacity:
    """What the target offers: torch's total memory (least and most seen), the reserve in bytes if one is stated."""

    usable_low: int
    usable_high: int
    reserve: int | None = None
    device: Device | None = None
    ranks: int = 1


@record
class Standing:
    """What the verdict rests on, and the verdict."""

    need: Range
    verdict: Verdict


def standing(planned: Planned, capacity: Capacity, sums: Sums) -> Standing:
    """The need and the verdict of `estimate`, without its bill."""
    if not planned.plans:
        return Standing(Range(0, 0, None), Verdict.UNKNOWN)
    planned = with_totals(planned, capacity)
    plan, found = planned.plans[0], [sums.of(plan) for plan in planned.plans]
    host = host_bytes(plan, trainable(plan)) if is_shared(capacity.device) else NOTHING
    above = totals_above(planned, capacity, plan, found[0].phase, allocated(planned, found, sums), host)
    return Standing(above.need, verdict_of(planned, capacity, above, sums))


def with_totals(planned: Planned, capacity: Capacity | None) -> Planned:
    """Plans that know what a rollout engine takes its share of."""
    if capacity is None or not any(plan.rollout for plan in planned.plans):
        return planned
    known = (capacity.usable_low, capacity.usable_low, capacity.usable_high)
    return replace(planned, plans=tuple(replace(plan, totals=known) for plan in planned.plans))


# -- the need ----------------------------------------------------------------------------------------------------------------

OPEN = frozenset(TABLE) | frozenset({
    "model", "micro_batch", "seq_len", "adapter", "optimizer", "parallel", "rollout_engine", "rollout_batch", "rollout_memory",
    "critic_model", "reward_model",
})  # fmt: skip
"""What leaves the high end open while it is missing."""


def allocated(planned: Planned, found: Sequence[Sum], sums: Sums) -> Range:
    """Every reading's peak with its family's spread; the best figure is the first reading's."""
    ranges = [one.allocated for one in found]
    high = None if not OPEN.isdisjoint(planned.missing) else max(r.high or 0 for r in ranges)
    whole = Range(ranges[0].bytes, min(r.low for r in ranges), high)
    return _on_any_number(planned, whole, sums) if "devices" in planned.missing else whole


def _on_any_number(planned: Planned, alone: Range, sums: Sums) -> Range:
    """A sharded run on a number of devices that nobody states: most on one device or on two (which add the collective buffers),
    least on very many. The best figure is that of one device."""
    pair, many = ([sums.of(with_world(plan, world)).allocated for plan in planned.plans] for world in (WORLDS[0], WORLDS[-1]))
    high = None if alone.high is None else max(alone.high, *(one.high or 0 for one in pair))
    return Range(alone.bytes, min(alone.low, *(one.low for one in many)), high)


def totals_above(planned: Planned, capacity: Capacity | None, best: Plan, phase: str, found: Range, host: Range) -> Totals:
    """``best``: the plan that the bill is for; ``phase``: its highest."""
    return totals(
        found,
        capacity.device if capacity else None,
        WORLDS[0] if "devices" in planned.missing else planned.plans[0].ranks,
        set_aside=rollouts.share_in(best, phase),
        host=host,
        eager=best.eager_modules,
    )


# -- the verdict -------------------------------------------------------------------------------------------------------------


def verdict_of(planned: Planned, capacity: Capacity | None, above: Totals, sums: Sums) -> Verdict:
    """On the need, as far as what is missing leaves one."""
    if capacity is None:
        return Verdict.UNKNOWN
    judged = not set(planned.missing) - {"devices"}
    found = verdict(above.need, (capacity.usable_low, capacity.usable_high), capacity.reserve, judged=judged)
    if found is Verdict.DOES_NOT_FIT and _fits_if_short(planned, capacity, sums):
        found = Verdict.TIGHT if judged and above.need.high is not None else Verdict.UNKNOWN
    if found is Verdict.DOES_NOT_FIT and "parallel" in planned.missing:
        return Verdict.UNKNOWN  # the figures are for a whole model, of which one device holds a part
    return Verdict.UNKNOWN if found is Verdict.TIGHT and "devices" in planned.missing else found


def _fits_if_short(planned: Planned, capacity: Capacity, sums: Sums) -> bool:
    """Shorter samples than those that the figures are for may fit, and nobody here has seen the data."""
    if not any(plan.cutoff or plan.lone for plan in planned.plans):
        return False
    return if_short(planned, capacity, sums).verdict is not Verdict.DOES_NOT_FIT


def if_short(planned: Planned, capacity: Capacity, sums: Sums) -> Standing:
    """The run on the shortest samples that its length lets through."""
    return standing(replace(planned, plans=tuple(_shortest(plan) for plan in planned.plans)), capacity, sums)


def _shortest(plan: Plan) -> Plan:
    """A length that only a default cuts at says nothing; a written one is reached by one example, to which a padded batch pads and
    a flattened one does not."""
    if plan.cutoff:
        return replace(plan, seq=1, cutoff=False, lone=0)
    return replace(plan, batch=plan.lone, lone=0) if plan.lone else plan


def devices_needed(planned: Planned, capacity: Capacity | None, sums: Sums) -> int | None:
    """From how many devices on a sharded run of unknown size fits; None when its size is known, or no size helps."""
    if capacity is None or "devices" not in planned.missing or set(planned.missing) - {"devices"}:
        return None
    for world in (1, *WORLDS):
        plans = tuple(with_world(plan, world) for plan in planned.plans)
        tried = replace(planned, plans=plans, missing=())
        if standing(tried, replace(capacity, ranks=world), sums).verdict is Verdict.FITS:
            return world * planned.plans[0].parallel.ranks
    return None
