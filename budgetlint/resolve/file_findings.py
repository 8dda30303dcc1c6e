"""Findings about files that no rule makes: what cannot be read, parsed or found."""

from __future__ import annotations

from budgetlint.base.finding import Confidence, Finding, Severity
from budgetlint.base.source import Location

CODES = {
    "unreadable-file": "BL910",
    "unparsable-file": "BL911",
    "ambiguous-format": "BL912",
    "missing-reference": "BL913",
    "no-such-config": "BL914",
    "too-large": "BL915",
    "command-cut-short": "BL916",
    "guessed-reference": "BL917",
    "launch-without-run": "BL918",
    "missing-key": "BL926",
    "misread-value": "BL907",
    "internal-error": "BL998",
}


def file_finding(name: str, location: Location, message: str, help: str, severity: Severity = Severity.ERROR) -> Finding:
    return Finding(CODES[name], name, severity, Confidence.HIGH, message, location, help)
