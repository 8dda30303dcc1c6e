"""A class of the package is the only one of its name: who searches for it finds one, and a message that names it is plain."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from house import twice_defined
from unused import modules_of

OF_PROGRAMS = "budgetlint.program."
"""What a program's values are called (a module, a call, a field, an option) are Python's own words, which others have for other things.
They are
told apart by their package: it has each once."""


def test_no_class_name_is_defined_twice(modules: dict[str, Any]) -> None:
    found = twice_defined(modules)
    others = [[one for one in row.partition(": ")[2].split() if not one.startswith(OF_PROGRAMS)] for row in found]
    own = [[one for one in row.partition(": ")[2].split() if one.startswith(OF_PROGRAMS)] for row in found]
    assert [row for row, rest, mine in zip(found, others, own, strict=True) if len(rest) > 1 or len(mine) > 1] == []


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("class Span: pass\n", "class Span: pass\n", ["Span: budgetlint.a budgetlint.b"]),
        ("class Span: pass\n", "from budgetlint.a import Span\n", []),
        ("class Span: pass\n", "class SpanOfLines: pass\n", []),
        ("class _Search: pass\n", "class _Search: pass\n", []),
    ],
)
def test_what_counts_as_twice(one: str, other: str, found: list[str], tmp_path: Path) -> None:
    for name, text in {"__init__": "", "a": one, "b": other}.items():
        path = tmp_path / "budgetlint" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert twice_defined(modules_of(tmp_path)) == found
