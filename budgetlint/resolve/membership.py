"""Which runs a file takes part in: a check of named files judges those runs, and tells what stands in their files."""

from __future__ import annotations

from collections.abc import Iterator, Set

from budgetlint.base.record import replace
from budgetlint.builtin.rules import UNUSED_SUPPRESSION
from budgetlint.engine.other_readers import only_in
from budgetlint.language.budget import Budget
from budgetlint.resolve.architecture import config_paths
from budgetlint.resolve.project import lock_beside
from budgetlint.resolve.state import Collected
from budgetlint.results.report import Report
from budgetlint.rules_api.context import Judged
from budgetlint.settings.run import Reading


def takes_part(run: Collected, taken: Set[str]) -> bool:
    """Is one of these files part of the run?"""
    return any(path in taken for path in files_of(run))


def files_of(run: Collected) -> Iterator[str]:
    """The script that starts it, its budgets, its documents with what they are composed of, the modules of its program, the
    shape of its model."""
    yield run.name.partition("#")[0]
    yield from _budget_files(run.budget)
    yield from run.beside.files
    for reading in run.readings:
        yield from _reading_files(reading)
        if reading.program is not None:
            yield from reading.program.asked_for
    claims = (run.budget_run.settings,) if run.budget_run else ()
    for settings in (*(reading.settings for reading in run.readings), *claims):
        model = settings.get("model")
        if model is not None and model.known:
            yield from config_paths(model, str(model.value))


def _budget_files(budget: Budget | None) -> tuple[str, ...]:
    return (budget.path, lock_beside(budget.path), *budget.includes) if budget else ()


def _reading_files(reading: Reading) -> tuple[str, ...]:
    return (reading.document.path, *(source.path for source in reading.document.below))


def narrowed(result: Judged, taken: Set[str]) -> Judged:
    """Only what stands in the files of these runs and in the files themselves. ``result`` holds no other runs."""
    readings = [reading for context in result.runs for reading in context.run.readings]
    kept = {path for reading in readings for path in _reading_files(reading)} | taken
    kept |= {path for context in result.runs for path in (*_budget_files(context.budget), *context.beside)}
    return replace(
        result,
        documents=tuple(context for context in result.documents if context.reading.document.path in kept),
        budgets=tuple(context for context in result.budgets if context.source is None or context.budget.path in kept),
        findings=tuple(finding for finding in result.findings if finding.location.file in kept),
    )


def of_named(report: Report, taken: Set[str]) -> Report:
    """What suppresses nothing in some of a file's runs may do so in its others, and what is safe to edit for some may not be for
    others: of the named files alone every run is judged."""
    findings = tuple(one for one in report.findings if one.code != UNUSED_SUPPRESSION.code or one.location.file in taken)
    return replace(report, findings=tuple(only_in(one, taken) for one in findings))
