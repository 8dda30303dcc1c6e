"""Runs whose settings came from outside, judged under the budget that holds for each; nothing else of a project is looked at."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import TYPE_CHECKING

from budgetlint.base.record import replace
from budgetlint.resolve.allowance import Allowance
from budgetlint.resolve.budget_scope import nearest_budget
from budgetlint.resolve.contexts import budget_contexts
from budgetlint.resolve.declared_runs import UNSAID
from budgetlint.resolve.handed import HandedRun
from budgetlint.resolve.judged_runs import run_contexts
from budgetlint.resolve.project import Project
from budgetlint.resolve.state import Assembly, Collected
from budgetlint.rules_api.context import Judged
from budgetlint.settings.run import Settings

if TYPE_CHECKING:
    from budgetlint.language.budget import Budget, BudgetRun


def judge_handed(project: Project, runs: Iterable[HandedRun], *, extra: Budget | None = None, overrides: Settings | None = None) -> Judged:
    """``extra`` is a budget that the caller gives: it holds for every run. Else a budget with a run of that name does, else the nearest
    that names neither configs nor a model."""
    work = Assembly(project, extra, overrides or Settings())
    budgets = [extra] if extra is not None else [entry.budget for entry in project.entries.values() if entry.budget is not None]
    allowance = Allowance()
    for run in runs:
        collected = _collected(work, run, budgets)
        work.runs.append(collected)
        with project.contained("estimating", collected.name):
            work.contexts.extend(allowance.within(collected, run_contexts(work, collected)))
    used = [collected.budget for collected in work.runs if collected.budget is not None]
    return Judged(
        runs=tuple(work.contexts),
        documents=(),
        flags=(),
        budgets=tuple(one for one in budget_contexts(work) if any(one.budget is budget for budget in (*used, extra))),
        findings=(*(one for one in project.findings if one.name == "internal-error"), *allowance.findings()),
        crashes=tuple(project.crashes),
        sources=tuple(entry.source for entry in project.entries.values() if entry.source is not None),
    )


def _collected(work: Assembly, run: HandedRun, budgets: list[Budget]) -> Collected:
    budget, budget_run = _holding(work, run, budgets)
    if budget is not None and budget_run is not None:
        on = (run.target,) if run.target in budget.targets else budget_run.on
        budget_run = replace(budget_run, cells=(), on=on)  # what was resolved is one cell
    unsaid = UNSAID if budget_run is not None and budget_run.declared is not None else ""
    return Collected(run.name, (run.reading,), budget, budget_run, stack=run.stack, unsaid=unsaid)


def _is_called(work: Assembly, budget: Budget, one: BudgetRun, name: str) -> bool:
    """Is this the budget's run of that name? One that has none is called by its budget, or by the file that makes it."""
    if one.name is not None:
        return name == one.name or name.startswith(f"{one.name}:")
    paths = [*((ref.base, ref.path) for ref in one.configs), *((ref.base, ref.path) for ref in one.reads)]
    whole = [posixpath.normpath(posixpath.join(base, path)) for base, path in paths]
    return name in (budget.path, *whole) or any(name in work.files.glob(path) for path in whole if "*" in path or "?" in path)


def _holding(work: Assembly, run: HandedRun, budgets: list[Budget]) -> tuple[Budget | None, BudgetRun | None]:
    for budget in budgets:
        named = next((one for one in budget.runs if _is_called(work, budget, one, run.name)), None)
        if named is not None:
            return budget, named
    found = work.extra or nearest_budget(work, posixpath.normpath(run.reading.document.path), budgets)
    return (found, found.runs[0]) if found is not None and found.runs else (found, None)
