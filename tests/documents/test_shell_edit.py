"""Fixes in launch commands: the text changes where the flag stands, and the command means what was asked for."""

from __future__ import annotations

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents import Document, Scalar
from budgetlint.documents.edit import apply, delete_entry, insert_after, rename_key, set_value
from budgetlint.launch.read import script_launches


def program(text: str) -> Document:
    (launch,) = script_launches(SourceFile("run.sh", text))
    return launch.program


def value_set(text: str, key: str, value: str | int | bool) -> str:
    document = program(text)
    entry = document.entry(key)
    assert entry is not None
    assert isinstance(entry.value, Scalar)
    return apply(text, set_value(document, entry.value, value))


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("python a.py --x 1 --y", 2, "python a.py --x 2 --y"),
        ("python a.py --x=1 --y", 2, "python a.py --x=2 --y"),
        ('python a.py --x "one" --y', "two", 'python a.py --x "two" --y'),
        ("python a.py --x one --y", "two words", "python a.py --x 'two words' --y"),
        ("N=1\npython a.py --x $N", 2, "N=2\npython a.py --x $N"),
        ("python a.py --x ${N:-1}", 2, "python a.py --x ${N:-2}"),
        ("python a.py --x", 2, "python a.py --x"),
        ("python a.py --x a$N", 2, "python a.py --x a$N"),
    ],
)
def test_set(text: str, value: str | int, expected: str) -> None:
    assert value_set(text, "x", value) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("python a.py --x 1 --y", "python a.py --y"),
        ("python a.py \\\n  --x 1 \\\n  --y", "python a.py \\\n \\\n  --y"),
        ("python a.py --y --x", "python a.py --y"),
        ("N=1\npython a.py --x $N", "N=1\npython a.py --x $N"),
    ],
)
def test_delete(text: str, expected: str) -> None:
    document = program(text)
    entry = document.entry("x")
    assert entry is not None
    assert apply(text, delete_entry(document, entry)) == expected


def test_rename_and_insert() -> None:
    text = "python a.py --old-name 1 --y"
    document = program(text)
    entry = document.entry("old_name")
    assert entry is not None
    assert apply(text, rename_key(document, entry, "new_name")) == "python a.py --new_name 1 --y"
    assert apply(text, insert_after(document, entry, "z", 3)) == "python a.py --old-name 1 --z 3 --y"
