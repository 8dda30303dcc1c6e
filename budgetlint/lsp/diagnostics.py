"""Findings as the editor shows them (LSP 3.17, "Diagnostic")."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from budgetlint.base.finding import Finding, Severity
from budgetlint.base.plain_text import one_line
from budgetlint.base.source import Location
from budgetlint.lsp.positions import Positions

SEVERITIES = {Severity.ERROR: 1, Severity.WARNING: 2, Severity.INFO: 3}

Places = Callable[[str], "tuple[str, Positions] | None"]
"""URI and positions of a file by its path; None for what is no file (``--budget``)."""


def diagnostics_of(findings: Iterable[Finding], path: str, places: Places) -> list[dict[str, Any]]:
    """The findings that stand in one file."""
    found = places(path)
    if found is None:
        return []
    return [_diagnostic(finding, found[1], places) for finding in findings if finding.location.file == path]


def _diagnostic(finding: Finding, positions: Positions, places: Places) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "range": positions.located(finding.location),
        "severity": SEVERITIES[finding.severity],
        "code": finding.code,
        "source": "budgetlint",
        "message": _message(finding),
        "data": {"fingerprint": finding.fingerprint, "name": finding.name},
    }
    related = [place for one in finding.related if (place := _related(one.location, one.message, places))]
    return shown | ({"relatedInformation": related} if related else {})


def _message(finding: Finding) -> str:
    """What is wrong, then what to write instead; the name is what a suppression takes."""
    help = f"\n{finding.help}" if finding.help else ""
    return f"{finding.message}{help} [{finding.name}]"


def _related(at: Location, message: str, places: Places) -> dict[str, Any] | None:
    found = places(at.file)
    if found is None:
        return None
    uri, positions = found
    return {"location": {"uri": uri, "range": positions.located(at)}, "message": message or one_line(at.file)}
