"""The table of bounds, its page of the manual, and the finding BL915 too-large that every bound ends in."""

from __future__ import annotations

from pathlib import Path

import pytest

from budgetlint.base.limits import BOUNDS, DOCUMENTS, page
from budgetlint.base.source import Location
from budgetlint.base.too_large import too_large

PAGE = Path(__file__).parents[2] / "docs" / "limits.md"


def test_the_manual_lists_the_bounds_as_they_are() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert page(text) == text, "python -m budgetlint.base.limits writes it again"


def test_names_are_unique_and_each_bound_has_its_reason() -> None:
    names = [bound.name for bound in BOUNDS]
    assert sorted(set(names)) == sorted(names)
    assert [bound.name for bound in BOUNDS if not any(character.isdigit() for character in bound.why)] == []


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (40_000, "a.yaml holds 40,000 documents: 500 are read"),
        (None, "a.yaml holds more than 500 documents: no more are read"),
    ],
)
def test_the_finding_says_how_many_and_how_many_are_read(found: int | None, message: str) -> None:
    finding = too_large(DOCUMENTS, Location("a.yaml", 7), found)
    assert (finding.code, finding.name, finding.severity.value) == ("BL915", "too-large", "error")
    assert (finding.message, str(finding.location)) == (message, "a.yaml:7:1")
    assert finding.help
