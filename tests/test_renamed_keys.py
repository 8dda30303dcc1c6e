"""The table of renamed keys against the key tables: the old name is dropped, the new one is known today."""

from __future__ import annotations

import pytest
from budgetlint_rules._unknown_renames import BEFORE, RENAMED
from budgetlint_rules._unknown_sections import VOCABULARIES

from budgetlint.catalog.vocabulary import gone, groups, keys

ROWS = [pytest.param(name, old, new, id=f"{name}: {old}") for name, row in RENAMED.items() for old, new in row.items()]

TOP = {"llamafactory": "hparams"}


def _place(table: str, path: str) -> tuple[str, str]:
    """The group that a path's key stands in, and the key."""
    section, _, key = path.rpartition(".")
    return (section, key) if section in groups(table) else (TOP.get(table, "top"), path.partition(".")[0])


@pytest.mark.parametrize(("name", "old", "new"), ROWS)
def test_a_renamed_key(name: str, old: str, new: str) -> None:
    before, key = _place(name, old)
    today, other = _place(name, new)
    elsewhere = VOCABULARIES[name].elsewhere() if name in VOCABULARIES else frozenset[str]()
    assert key in gone(name, before) or (name in BEFORE and key not in keys(name, before))
    assert other in elsewhere or (other in keys(name, today) and other not in gone(name, today))
