"""Findings that say the same of many places, for reports that people read: told once, with the other places.

Formats for machines (JSON, SARIF, JUnit, annotations, one line each) keep every finding.
"""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.base.finding import Finding
from budgetlint.base.plain_text import one_line
from budgetlint.report.style import plural

FROM, NAMED = 4, 5
"""So many that say the same are one; so many of the other places are named."""


def told_once(findings: Iterable[Finding]) -> list[tuple[Finding, tuple[Finding, ...]]]:
    """Each finding that is told, in order, with the others that it stands for: the same rule, level, message and cure."""
    found = list(findings)
    groups: dict[tuple[str, str, str, str], list[Finding]] = {}
    for finding in found:
        groups.setdefault(_said(finding), []).append(finding)
    told: list[tuple[Finding, tuple[Finding, ...]]] = []
    for finding in found:
        first, *others = groups[_said(finding)]
        if len(others) + 1 < FROM:
            told.append((finding, ()))
        elif finding is first:
            told.append((finding, tuple(others)))
    return told


def _said(finding: Finding) -> tuple[str, str, str, str]:
    return finding.code, finding.severity.value, finding.message, finding.help


def places(others: tuple[Finding, ...]) -> str:
    """``the same in 48 more places: a.yaml:3, b.yaml:3, and 46 more``"""
    named = [one_line(f"{one.location.file}:{one.location.line}") for one in others[:NAMED]]
    rest = [f"and {len(others) - NAMED:,} more"] if len(others) > NAMED else []
    return f"the same in {plural(len(others), 'more place')}: {', '.join([*named, *rest])}"
