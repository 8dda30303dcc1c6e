"""The edition of the catalog that every report carries."""

from __future__ import annotations

import datetime

from budgetlint.catalog import edition


def test_the_edition_is_that_of_the_rows() -> None:
    assert edition.digest() == edition.DIGEST, "python -m budgetlint.catalog.edition"
    assert datetime.date.fromisoformat(edition.DATE)
