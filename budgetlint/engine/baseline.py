"""A baseline: the findings that a project lived with on the day it was made. It hides those, and it only shrinks.

A finding is known by its fingerprint (rule, file, key path and value), so it stays known when lines move. What the language or
the engine itself says (a budget that does not parse, a rule that crashed) is never hidden.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from budgetlint.base.finding import Finding
from budgetlint.base.numerals import whole
from budgetlint.base.record import open_record, replace
from budgetlint.results.report import Report

VERSION = 1
NEVER = ("BL0", "BL90")
"""Families of codes that are always told: the budget language, and the engine's own words."""


@open_record
class Known:
    """One recorded finding; ``count`` of them may be there."""

    fingerprint: str
    code: str
    name: str
    file: str
    count: int = 1


class BadBaseline(Exception):
    """The text is no baseline; the message says why."""


def record(findings: Iterable[Finding]) -> tuple[Known, ...]:
    """A baseline of these findings."""
    kept = [finding for finding in findings if not finding.code.startswith(NEVER)]
    counts = Counter(finding.fingerprint for finding in kept)
    rows = {f.fingerprint: Known(f.fingerprint, f.code, f.name, f.location.file, counts[f.fingerprint]) for f in kept}
    return tuple(sorted(rows.values(), key=lambda known: (known.file, known.code, known.fingerprint)))


def without_known(report: Report, known: Iterable[Known]) -> Report:
    """The report without what the baseline knows; ``baselined`` counts it."""
    left = {one.fingerprint: one.count for one in known}
    new = []
    for finding in report.findings:
        if left.get(finding.fingerprint, 0) and not finding.code.startswith(NEVER):
            left[finding.fingerprint] -= 1
        else:
            new.append(finding)
    return replace(report, findings=tuple(new), baselined=len(report.findings) - len(new))


def shrunk(known: Iterable[Known], report: Report, looked_at: Callable[[str], bool]) -> tuple[Known, ...]:
    """The baseline without what is no longer found in the files that were looked at."""
    found = Counter(finding.fingerprint for finding in report.findings)
    rows = (replace(one, count=min(one.count, found[one.fingerprint])) if looked_at(one.file) else one for one in known)
    return tuple(row for row in rows if row.count)


def read(text: str) -> tuple[Known, ...]:
    """The recorded findings of a baseline file. Raises `BadBaseline`."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise BadBaseline(f"is not JSON: {error}") from None
    if not isinstance(data, dict) or data.get("version") != VERSION or not isinstance(data.get("findings"), list):
        raise BadBaseline(f'is no baseline of version {VERSION}: {{"version": {VERSION}, "findings": […]}}')
    return tuple(_known(row, number) for number, row in enumerate(data["findings"], 1))


def _known(row: Any, number: int) -> Known:
    try:
        return Known(str(row["fingerprint"]), str(row["code"]), str(row["name"]), str(row["file"]), _count(row.get("count", 1)))
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise BadBaseline(f"finding {number} has no usable {error}") from None


def _count(value: Any) -> int:
    number = whole(str(value))
    if number is None:
        raise ValueError("count")
    return number


def render(known: Iterable[Known]) -> str:
    """One finding a line, sorted by file, so that a change of the file reads well."""
    keys = ("file", "code", "name", "fingerprint", "count")
    rows = [f"\n    {json.dumps({key: getattr(one, key) for key in keys})}" for one in known]
    end = "\n  " if rows else ""
    return f'{{\n  "version": {VERSION},\n  "findings": [{",".join(rows)}{end}]\n}}\n'
