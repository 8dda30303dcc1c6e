"""What the estimate would be if one thing of the plan were otherwise, and whether that matters for the device."""

from __future__ import annotations

from typing import Any

from budgetlint.base.record import replace
from budgetlint.memory.estimate import Estimate
from budgetlint.memory.estimator import estimate
from budgetlint.memory.plan import Plan
from budgetlint.memory.planner import Planned
from budgetlint.memory.standing import Capacity
from budgetlint.rules_api.context import RunContext

PART = 10
"""A cost is worth a warning from a tenth of the limit on, or where it decides whether the run fits."""


def if_only(run: RunContext, **changes: Any) -> Estimate | None:
    """The estimate of the run's first reading with other values of these plan fields; None where nothing is known."""
    plan: Plan | None = run.plan
    if plan is None or run.estimate is None:
        return None
    missing = tuple(name for name in run.estimate.missing if name != "device")
    return estimate(Planned((replace(plan, **changes),), missing, ()), _capacity(run, plan))


def _capacity(run: RunContext, plan: Plan) -> Capacity | None:
    spec, target = run.target.device if run.target else None, run.target
    if spec is None or target is None:
        return None
    reserve = target.reserve.of(spec.usable_low) if target.reserve else None
    return Capacity(spec.usable_low, spec.usable_high, reserve, spec.device, plan.sharding.world)


def is_over(now: Estimate) -> bool:
    """The run was judged, or leans to one side, and its best figure lies over the limit."""
    return now.near and now.limit is not None and now.need.bytes > now.limit


def decides(now: Estimate, cost: int) -> bool:
    """The run is too large, and without this cost it would fit."""
    return is_over(now) and now.limit is not None and now.need.bytes - cost <= now.limit


def is_large(now: Estimate, cost: int) -> bool:
    """The cost is a visible part of the device."""
    return now.limit is not None and cost * PART >= now.limit


def matters(now: Estimate, cost: int) -> bool:
    return decides(now, cost) or is_large(now, cost)


def effect(now: Estimate, cost: int) -> str:
    """For messages, behind a cost: ``; without it the run would fit``."""
    return "; without it the run would fit" if decides(now, cost) else ""
