"""The measured lines about a run: those of its budget, and those of the lock beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from budgetlint.base.record import replace
from budgetlint.resolve.project import lock_beside
from budgetlint.resolve.state import Assembly, Collected

if TYPE_CHECKING:
    from budgetlint.language.budget import Measured
    from budgetlint.rules_api.context import RunContext


def with_measurements(work: Assembly, collected: Collected, context: RunContext) -> RunContext:
    """The run with the lines about it, and what they narrow. A run without a budget has none."""
    written = _written(work, collected)
    if not written or context.estimate is None:
        return context
    from budgetlint.measured.lines import lines_of  # most runs were never measured
    from budgetlint.measured.tighten import JudgedDevice, tightened

    lines = lines_of(context.run, context.target.name if context.target else None, written)
    if work.supposed or work.overrides:
        lines = tuple(line for line in lines if line.measured.facts.get("config"))
    spec = context.target.device if context.target else None
    place = None
    if spec is not None and spec.usable_low and context.target is not None:
        reserve = context.target.reserve.of(spec.usable_low) if context.target.reserve else None
        place = JudgedDevice(spec.device, spec.usable_low, spec.usable_high, reserve)
    tolerance = collected.budget_run.tolerance_ppm if collected.budget_run else None
    return replace(context, recorded=lines, estimate=tightened(context.estimate, lines, place, tolerance))


def _written(work: Assembly, collected: Collected) -> tuple[Measured, ...]:
    if collected.budget is None:
        return ()
    own = collected.budget_run.measured if collected.budget_run else ()
    return (*own, *_locked(work, collected.budget.path))


def _locked(work: Assembly, budget: str) -> tuple[Measured, ...]:
    path = lock_beside(budget)
    if path not in work.locks:
        work.locks[path] = work.project.locked(path) if work.files.exists(path) else ()
    return work.locks[path]
