"""One line per finding: ``path:line:col: error BL205 name: message``; then the summary."""

from __future__ import annotations

from typing import Any

from budgetlint.base.finding import Finding
from budgetlint.base.plain_text import one_line
from budgetlint.report.shown import is_shown
from budgetlint.report.style import PLAIN, TerminalStyle
from budgetlint.report.summary import summary_lines
from budgetlint.results.report import Gate, Report


def render(report: Report, style: TerminalStyle = PLAIN, *, info: bool = False, gate: Gate = Gate(), **_options: Any) -> str:
    lines = [line(finding, style) for finding in report.findings if is_shown(finding, info=info)]
    return "\n".join([*lines, *_changes(report, style), *summary_lines(report, style, info=info, gate=gate)]) + "\n"


def _changes(report: Report, style: TerminalStyle) -> list[str]:
    """With ``--compare-with``: one line for each run that costs something else."""
    if report.comparison is None:
        return []
    from budgetlint.report.compare_text import headline

    return [headline(change, style) for change in report.comparison.runs]


def line(finding: Finding, style: TerminalStyle = PLAIN) -> str:
    label = style.severity(finding.severity, f"{finding.severity.value} {finding.code}")
    return f"{one_line(str(finding.location))}: {label} {finding.name}: {finding.message}"
