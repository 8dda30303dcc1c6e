"""What the estimate would be if one thing of the plan were otherwise."""

from __future__ import annotations

from typing import Any

from budgetlint.base.record import replace
from budgetlint.memory.estimator import estimate
from budgetlint.memory.plan import Plan
from budgetlint.memory.planner import Planned
from budgetlint.memory.standing import Capacity
from budgetlint.rule import Estimate, RunContext


def if_only(run: RunContext, **changes: Any) -> Estimate | None:
    """The estimate of the run's first reading with other values of these plan fields; None where the bill is not
    whole: what one thing costs of a batch of one token, or of one reading among others, is no figure of this run."""
    plan: Plan | None = run.plan
    if plan is None or run.estimate is None or not run.estimate.whole:
        return None
    return estimate(Planned((replace(plan, **changes),), (), ()), _capacity(run, plan))


def _capacity(run: RunContext, plan: Plan) -> Capacity | None:
    spec, target = run.target.device if run.target else None, run.target
    if spec is None or target is None:
        return None
    reserve = target.reserve.of(spec.usable_low) if target.reserve else None
    return Capacity(spec.usable_low, spec.usable_high, reserve, spec.device, plan.sharding.world)
