"""Runs that end before they train: a bill that fits says nothing of a run whose arguments are refused (`Rule.stops`)."""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.base.finding import Finding, Severity
from budgetlint.engine.registry import Registry
from budgetlint.rules_api.context import RunContext


def stopped(findings: Iterable[Finding], runs: Iterable[RunContext], registry: Registry) -> dict[str, tuple[str, ...]]:
    """By run, the codes of the errors for which it does not start. A finding of a document is about each run that reads it."""
    found = [one for one in findings if one.severity is Severity.ERROR and (rule := registry.get(one.code)) is not None and rule.stops]
    if not found:
        return {}
    by_path: dict[str, list[str]] = {}
    for run in runs:
        for path in {reading.document.path for reading in run.run.readings}:
            by_path.setdefault(path, []).append(run.label)
    codes: dict[str, dict[str, None]] = {}
    for one in found:
        for label in one.runs or by_path.get(one.location.file, ()):
            codes.setdefault(label, {})[one.code] = None
    return {label: tuple(sorted(told)) for label, told in codes.items()}
