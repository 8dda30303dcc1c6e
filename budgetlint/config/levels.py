"""How bad a finding is here: the rule's own severity, changed by levels in ``pyproject.toml``, a budget or a run of it.

Later levels win over earlier ones: settings, then the budget, then its run, each in the order written.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from fnmatch import fnmatchcase

from budgetlint.base.finding import Confidence, Finding, Severity
from budgetlint.base.record import record
from budgetlint.base.source import Location
from budgetlint.files.glob import names_file
from budgetlint.language.budget import RuleLevel
from budgetlint.rules_api.pattern import matches
from budgetlint.rules_api.rule import Rule

LEVELS = {
    "error": Severity.ERROR,
    "deny": Severity.ERROR,
    "warning": Severity.WARNING,
    "warn": Severity.WARNING,
    "info": Severity.INFO,
    "off": None,
    "allow": None,
}
"""Words for a level, the budget's and the usual ones. None is off."""


@record
class Level:
    """One level. ``in_files`` and ``key`` are globs that narrow it; empty means everywhere.

    ``is_suppression`` for an ``allow`` that somebody wrote as an exception: it needs a reason and must be used.
    ``in_budget``: the language itself has asked for the reason (BL013).
    """

    pattern: str
    severity: Severity | None
    location: Location
    reason: str = ""
    until: datetime.date | None = None
    in_files: str = ""
    key: str = ""
    is_suppression: bool = False
    in_budget: bool = False
    by: str = ""

    def covers(self, finding: Finding, rule: Rule) -> bool:
        return (
            matches(self.pattern, rule)
            and (not self.in_files or names_file(self.in_files, finding.location.file))
            and (not self.key or fnmatchcase(finding.key, self.key))
        )

    def expired(self, today: datetime.date) -> bool:
        return self.until is not None and self.until < today


def from_budget(level: RuleLevel) -> Level:
    severity = LEVELS[level.level]
    location = level.origin.location or Location(str(level.origin))
    return Level(
        level.pattern,
        severity,
        location,
        level.reason,
        level.until,
        level.in_files,
        level.key,
        severity is None,
        in_budget=True,
        by=level.by,
    )


def deciding(finding: Finding, rule: Rule, levels: Sequence[Level]) -> Level | None:
    """The level that decides: the last that covers the finding."""
    return next((level for level in reversed(levels) if level.covers(finding, rule)), None)


def default_severity(finding: Finding) -> Severity:
    """Only high confidence may be an error without being asked for."""
    if finding.severity is Severity.ERROR and finding.confidence is not Confidence.HIGH:
        return Severity.WARNING
    return finding.severity
