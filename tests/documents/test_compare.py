"""An edit may change only what it touches."""

from __future__ import annotations

import pytest

from budgetlint.base.finding import Edit
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents.compare import changed_elsewhere

YAML = "a: 1  # one\nb:\n  - x\n  - y\nc: {d: 2, e: 3}\n"


def edit(old: str, new: str, text: str = YAML) -> tuple[str, Edit]:
    start = text.index(old)
    return text.replace(old, new, 1), Edit("t.yaml", Span(start, start + len(old)), new)


CASES = [
    ("a value", "1", "2", False),
    ("a renamed key", "d: 2", "f: 2", False),
    ("a deleted line", "a: 1  # one\n", "", False),
    ("an inserted line", "a: 1  # one\n", "a: 1  # one\nz: 5\n", False),
    ("an item of a list", "  - x\n", "", False),
    ("a comment that swallows the next value", "d: 2", "d: 2 #", True),
    ("a quote that never closes", "a: 1", "a: '1", True),
    ("a value that pulls the next line in", "a: 1  # one\nb:", "a: 1\n b:", True),
]


@pytest.mark.parametrize(("old", "new", "spoilt"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_stands_outside_the_edit(old: str, new: str, spoilt: bool) -> None:
    text, change = edit(old, new)
    assert changed_elsewhere(SourceFile("t.yaml", YAML), SourceFile("t.yaml", text), [change]) is spoilt
