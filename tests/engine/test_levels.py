"""Levels: what one covers, when it ends, which decides, and what a rule's own severity may be."""

from __future__ import annotations

import datetime
from types import SimpleNamespace

import pytest

from budgetlint.base.source import Location, SourceFile, Span
from budgetlint.config.levels import LEVELS, Level, deciding, default_severity, from_budget
from budgetlint.language.budget import RuleLevel
from budgetlint.rule import Confidence, Finding, Severity
from budgetlint.settings.run import Origin, OriginKind

W = SimpleNamespace
AT = Location("gpu.budget", 3, 7, 3, 14)
DAY = datetime.date(2026, 6, 1)


def finding(severity: Severity = Severity.ERROR, confidence: Confidence = Confidence.HIGH) -> Finding:
    return Finding("BL203", "bad-key", severity, confidence, "bad is bad", Location("ds/a.json", 2, 6), key="zero.bad")


@pytest.mark.parametrize(
    ("pattern", "in_files", "key", "covers"),
    [
        ("bad-key", "", "", True),
        ("other", "", "", False),
        ("BL2", "*.json", "", True),
        ("BL2", "*.yaml", "", False),
        ("other", "*.json", "", False),
        ("BL203", "", "zero.*", True),
        ("BL203", "", "one.*", False),
        ("other", "", "zero.*", False),
        ("all", "ds/*", "*.bad", True),
        ("all", "ds/*", "bad", False),
        ("all", "yaml/*", "*.bad", False),
        ("all", "yaml/*", "bad", False),
    ],
)
def test_a_level_covers_where_rule_file_and_key_all_fit(world: W, pattern: str, in_files: str, key: str, covers: bool) -> None:
    level = Level(pattern, None, AT, in_files=in_files, key=key)
    assert level.covers(finding(), world.says()) is covers


@pytest.mark.parametrize(("until", "expired"), [(None, False), ("2026-05-31", True), ("2026-06-01", False), ("2026-06-02", False)])
def test_the_last_day_still_counts(until: str | None, expired: bool) -> None:
    date = until and datetime.date.fromisoformat(until)
    assert Level("bad-key", None, AT, until=date or None).expired(DAY) is expired


@pytest.mark.parametrize(
    ("word", "severity"),
    [
        ("error", Severity.ERROR),
        ("deny", Severity.ERROR),
        ("warning", Severity.WARNING),
        ("warn", Severity.WARNING),
        ("info", Severity.INFO),
        ("off", None),
        ("allow", None),
    ],
)
def test_a_word_of_a_budget_is_a_severity_and_off_an_exception(word: str, severity: Severity | None) -> None:
    source = SourceFile("gpu.budget", "device t4\n\nlevel bad-key\n")
    written = RuleLevel(word, "bad-key", Origin(OriginKind.BUDGET, source, Span(17, 24)), "known", DAY, "*.json", "zero.*")
    expected = Level("bad-key", severity, AT, "known", DAY, "*.json", "zero.*", is_suppression=severity is None, in_budget=True)
    assert from_budget(written) == expected
    assert len(LEVELS) == 7  # each of them is above


def test_a_level_that_stands_in_no_file_is_placed_by_what_is_known() -> None:
    assert from_budget(RuleLevel("off", "bad-key", Origin(OriginKind.COMMAND_LINE, note="--allow"))).location == Location("--allow")


@pytest.mark.parametrize(
    ("patterns", "decides"),
    [((), None), (("other",), None), (("bad-key", "BL2"), 1), (("BL2", "bad-key"), 1), (("bad-key", "other"), 0), (("all", "BL2", "x"), 1)],
)
def test_the_last_level_that_covers_decides(world: W, patterns: tuple[str, ...], decides: int | None) -> None:
    levels = [Level(pattern, Severity.INFO, AT) for pattern in patterns]
    assert deciding(finding(), world.says(), levels) is (None if decides is None else levels[decides])


@pytest.mark.parametrize("confidence", Confidence)
@pytest.mark.parametrize("severity", Severity)
def test_only_an_error_of_less_than_high_confidence_is_lowered(severity: Severity, confidence: Confidence) -> None:
    lowered = (severity, confidence) in {(Severity.ERROR, Confidence.MEDIUM), (Severity.ERROR, Confidence.LOW)}
    assert default_severity(finding(severity, confidence)) is (Severity.WARNING if lowered else severity)
