"""Which findings a report for people shows, and in which order."""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.base.finding import Finding, Severity
from budgetlint.report.style import plural
from budgetlint.results.report import Report

_WORDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "remark"}


def shown(report: Report, *, info: bool) -> list[Finding]:
    """Errors, then warnings, then remarks when asked for; each in file order."""
    found = [finding for finding in report.findings if info or finding.severity > Severity.INFO]
    return sorted(found, key=lambda finding: -finding.severity.rank)


def counted(findings: Iterable[Finding]) -> str:
    """``2 errors, 1 warning``; ``no findings``."""
    found = list(findings)
    counts = {word: sum(finding.severity is severity for finding in found) for severity, word in _WORDS.items()}
    return ", ".join(plural(count, word) for word, count in counts.items() if count) or "no findings"
