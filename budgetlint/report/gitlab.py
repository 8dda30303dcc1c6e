"""``check --format gitlab``: a Code Quality report, which GitLab compares with the one of the target branch.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format. GitLab keeps one entry for each fingerprint
(lib/gitlab/ci/reports/codequality_reports.rb), so findings that share theirs get a number.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from budgetlint.base.finding import Finding, Severity
from budgetlint.base.plain_text import ascii_json
from budgetlint.report.shown import shown
from budgetlint.report.style import PLAIN, TerminalStyle
from budgetlint.report.tree import Tree
from budgetlint.results.report import Report

SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.INFO: "info"}


def render(report: Report, _style: TerminalStyle = PLAIN, *, info: bool = False, tree: Tree = Tree(), **_options: Any) -> str:
    seen: Counter[str] = Counter()
    return ascii_json([_entry(finding, tree, seen) for finding in shown(report, info=info)])


def _entry(finding: Finding, tree: Tree, seen: Counter[str]) -> dict[str, Any]:
    help = f"; {finding.help}" if finding.help else ""
    at = finding.location
    return {
        "description": f"{finding.code}: {finding.message}{help}",
        "check_name": finding.name,
        "fingerprint": _unique(finding.fingerprint, seen),
        "severity": SEVERITIES[finding.severity],
        "location": {"path": tree.path(at.file), "lines": {"begin": at.line, "end": at.end_line}},
    }


def _unique(fingerprint: str, seen: Counter[str]) -> str:
    seen[fingerprint] += 1
    return fingerprint if seen[fingerprint] == 1 else f"{fingerprint}-{seen[fingerprint]}"
