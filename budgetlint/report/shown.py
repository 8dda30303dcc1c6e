"""Which findings a report for people shows, and in which order."""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.base.finding import Finding, Severity
from budgetlint.report.style import plural
from budgetlint.results.report import Report

GATE = "gate-loosened"
_WORDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "remark"}


def is_shown(finding: Finding, *, info: bool) -> bool:
    return info or finding.severity > Severity.INFO or finding.name == GATE


def shown(report: Report, *, info: bool) -> list[Finding]:
    """Errors, then warnings, then remarks when asked for; each in file order. What loosens the gate is always told, accepted or not."""
    found = [finding for finding in report.findings if is_shown(finding, info=info)]
    return sorted(found, key=lambda finding: -finding.severity.rank)


_VERDICTS = frozenset({GATE, "does-not-fit", "probably-does-not-fit", "tight-fit", "no-verdict"})


def is_verdict(finding: Finding) -> bool:
    """Is it what a gate is there for: whether a run fits, and whether the gate still holds?"""
    return finding.name in _VERDICTS


def verdicts_first(found: Iterable[Finding]) -> list[Finding]:
    """Where there is room for few: errors, then warnings; among them verdicts, and what says the same again last."""
    said: set[tuple[str, str]] = set()
    order: list[tuple[int, bool, bool, Finding]] = []
    for finding in found:
        key = (finding.code, finding.message)
        order.append((-finding.severity.rank, key in said, not is_verdict(finding), finding))
        said.add(key)
    return [row[3] for row in sorted(order, key=lambda row: row[:3])]


def counted(findings: Iterable[Finding]) -> str:
    """``2 errors, 1 warning``; ``no findings``."""
    found = list(findings)
    counts = {word: sum(finding.severity is severity for finding in found) for severity, word in _WORDS.items()}
    return ", ".join(plural(count, word) for word, count in counts.items() if count) or "no findings"
