"""What fills the card in the readings that do not fit: whatever the verdict depends on, the cause can be told."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.memory.estimate import Excess, Verdict
from budgetlint.memory.peak import Sums, peak_of
from budgetlint.memory.plan import Plan, Recompute
from budgetlint.memory.planner import Planned
from budgetlint.memory.standing import Capacity, standing, with_totals
from budgetlint.memory.term import Bucket
from budgetlint.resolve.fork_table import JointReading, Table

OVER = (Verdict.DOES_NOT_FIT, Verdict.TIGHT)
HALF = 2
"""A bucket is the cause where it is at least this part of the need."""


def excess_of(table: Table, capacity: Capacity, sums: Sums) -> Excess | None:
    """Of the reading that needs least among those that do not fit; where all others fit or are open, of those that are too close."""
    for verdict in OVER:
        found = [one for one in table.cells.values() if one.verdict is verdict and one.answer.planned.plans]
        if found:
            return _told(min(found, key=lambda one: one.need.bytes), capacity, sums)
    return None


def _told(one: JointReading, capacity: Capacity, sums: Sums) -> Excess:
    plan = with_totals(one.answer.planned, capacity).plans[0]
    held = peak_of(plan).highest.buckets
    largest = tuple(sorted(((bucket, size) for bucket, size in held.items() if size > 0), key=lambda pair: -pair[1]))
    return Excess(one.verdict, one.need, largest, plan.sharding, _checkpointed(plan, held[Bucket.ACTIVATIONS], one, capacity, sums))


def _checkpointed(plan: Plan, activations: int, one: JointReading, capacity: Capacity, sums: Sums) -> int | None:
    """What it would need with every layer made again, where nothing is and that is most of it."""
    if plan.recompute.kind != "none" or activations * HALF < one.need.bytes:
        return None
    again = Planned((replace(plan, recompute=Recompute("full")),), (), ())
    return standing(again, capacity, sums).need.bytes
