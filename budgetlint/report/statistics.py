"""``check --statistics``: how often each rule spoke, and how many of its findings can be fixed, instead of the findings."""

from __future__ import annotations

from collections import Counter
from typing import Any

from budgetlint.base.finding import Finding, Safety, Severity
from budgetlint.base.record import record
from budgetlint.report.style import PLAIN, TerminalStyle
from budgetlint.report.summary import summary_lines
from budgetlint.results.report import Report


@record
class Count:
    """One rule at one severity. ``files`` that it spoke about; ``safe`` and ``unsafe`` fixes that it offers."""

    code: str
    name: str
    severity: Severity
    findings: int
    files: int
    safe: int
    unsafe: int


def counts(report: Report) -> tuple[Count, ...]:
    """Most findings first."""
    groups: dict[tuple[str, str, Severity], list[Finding]] = {}
    for finding in report.findings:
        groups.setdefault((finding.code, finding.name, finding.severity), []).append(finding)
    rows = [_count(*key, found) for key, found in groups.items()]
    return tuple(sorted(rows, key=lambda row: (-row.findings, row.code)))


def _count(code: str, name: str, severity: Severity, found: list[Finding]) -> Count:
    offered = Counter(_best(finding) for finding in found)
    return Count(code, name, severity, len(found), len({f.location.file for f in found}), offered[Safety.SAFE], offered[Safety.UNSAFE])


def _best(finding: Finding) -> Safety | None:
    """The safest edit on offer; advice changes nothing."""
    offered = {fix.safety for fix in finding.fixes if fix.edits}
    return next((safety for safety in (Safety.SAFE, Safety.UNSAFE) if safety in offered), None)


def render(report: Report, style: TerminalStyle = PLAIN, *, info: bool = False, **_options: Any) -> str:
    rows = [row for row in counts(report) if info or row.severity > Severity.INFO]
    width = max((len(row.name) for row in rows), default=0)
    lines = [
        f"{row.findings:>6,}  {style.severity(row.severity, f'{row.severity.value:<7}')}  {row.code}  {row.name:<{width}}"
        f"  in {row.files:,} file{'s' if row.files != 1 else ''}{_fixable(row)}"
        for row in rows
    ]
    return "\n".join([*lines, *([""] if lines else []), *summary_lines(report, style, info=info)]) + "\n"


def _fixable(row: Count) -> str:
    parts = [f"{row.safe:,} with a safe fix"] if row.safe else []
    parts += [f"{row.unsafe:,} with an unsafe one"] if row.unsafe else []
    return f"; {', '.join(parts)}" if parts else ""
