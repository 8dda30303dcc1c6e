"""A budget is read without lark, and every tree, and every refusal, is lark's."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import lark
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgetlint.base.source import SourceFile
from budgetlint.language import lalr, parse, tables
from budgetlint.language.grammar import parser, read
from budgetlint.language.reference import page_path
from budgetlint.language.statements import STATEMENTS, setting_paths

TEXTS = [path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("b*/*.budget"))]
WORDS = [
    "let",
    "assert",
    "launch",
    "launch a {config}",
    "of",
    "letter",
    "official",
    "x",
    "=",
    "==",
    "<=",
    ",",
    "+ ",
    "-",
    "- ",
    "[",
    "]",
    "{",
    "}",
    ";",
    "\n",
    "\r\n",
    "# a",
]
VALUES = [
    "32GiB",
    "8x",
    "5%",
    "0",
    "-1",
    "1e5",
    "2.5",
    "2027-01-31",
    "2027-1-31",
    "$x",
    "'a b'",
    '"a\\"b"',
    "r=1",
    "r =",
    "x/y",
    "é",
    "\ufeff",
]


def by_lark(text: str, entry: str) -> Any:
    try:
        return parser().parse(text, start=entry)
    except lark.exceptions.UnexpectedInput:
        return None


def assert_the_same(text: str) -> None:
    for entry in ("start", "statement"):
        assert repr(read(text, 0, len(text), entry)) == repr(by_lark(text, entry)), entry


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_the_same_tree_of_a_budget(text: str) -> None:
    assert_the_same(text)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([*STATEMENTS, *sorted(setting_paths())[:9], *WORDS, *VALUES]), st.sampled_from(["", " ", " "])),
        max_size=14,
    )
)
def test_the_same_tree_of_random_pieces(parts: list[tuple[str, str]]) -> None:
    assert_the_same("".join(piece + gap for piece, gap in parts))


def test_the_same_tree_of_budgets_with_a_slip() -> None:
    rng = random.Random(11)
    for _ in range(300):
        text = rng.choice(TEXTS)
        at = rng.randrange(len(text) + 1)
        assert_the_same(
            text[:at] + rng.choice(["", "{", "}", "[", "]", '"', ";", "=", "\n", "x", "%", ","]) + text[at + rng.randint(0, 2) :]
        )


def test_a_part_of_a_text_is_read_by_itself() -> None:
    """What stands behind the part is no part of its last word, and what stands before it does not make a comment of it."""
    text = "seq 4096x # a"
    assert read(text, 0, 8, "statement") == parser().parse(lark.TextSlice(text, 0, 8), start="statement")
    assert read(text, 0, 8, "statement").values[0].text == "4096"


def test_the_tables_are_those_of_the_grammar() -> None:
    shipped = (page_path().parent / lalr.NAME).read_text(encoding="utf-8")
    assert json.loads(shipped) == json.loads(tables.folded()), "run python -m budgetlint.language.tables"


def test_tables_of_another_grammar_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    right, broken = SourceFile("x.budget", "device t4\nseq 1"), SourceFile("x.budget", "device t4\nlet = 1")
    expected = parse(right), parse(broken)
    monkeypatch.setattr(lalr, "tables", lambda: None)
    assert read("device t4", 0, 9, "start") is None
    assert (parse(right), parse(broken)) == expected
