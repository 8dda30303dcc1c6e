"""Nothing is there for its tests alone: whatever no module of ``budgetlint/`` or ``rules/`` uses is wired in, deleted, or said here."""

from __future__ import annotations

import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from unused import unused

FOR_OTHERS = {
    "budgetlint.testing.*": "what the tests of somebody's own rules import (docs/plugins.md)",
    "budgetlint.probe.callback.MemoryLine*": "the callback that a training script gives to its Trainer, which calls it",
    "budgetlint.readers.all_readers": "the readers by the package that holds them: named in its `__all__`",
    "budgetlint.language.export.from_json": "the way back of a budget's JSON, for who writes budgets by program; the export is held to it",
    "budgetlint.gate.classes.unclassed_*": "what has no class yet: tests hold the tables of the gate to the language and the settings",
    "budgetlint.judging.judge": "what a launcher calls (docs/python.md)",
    "budgetlint.results.judgement.*": "what it is answered",
    "budgetlint.report.svg.compared": "draws a picture of the README (docs/img/regenerate.py)",
    "budgetlint.catalog.architecture.Architecture.params_published": "a column of models.json: what every row's sizes must add up to",
}
"""Public names that others use, and who."""


@pytest.fixture(scope="module")
def left(repository: Path) -> list[str]:
    return unused(repository)


@pytest.mark.slow
def test_nothing_is_there_for_its_tests_alone(left: list[str]) -> None:
    assert [name for name in left if not any(fnmatchcase(name, pattern) for pattern in FOR_OTHERS)] == []


@pytest.mark.parametrize(
    ("modules", "found"),
    [
        ({"a": "def f(): pass\n"}, ["budgetlint.a.f"]),
        ({"a": "def f(): return f()\n"}, ["budgetlint.a.f"]),
        ({"a": "def f(): pass\n", "b": "from budgetlint.a import f\nf()\n"}, []),
        ({"a": "def f(): pass\n", "b": "from budgetlint import a\na.f()\n"}, []),
        ({"a": "def f(): pass\n", "b": "from budgetlint import a as named\nnamed.f()\n"}, []),
        ({"a": "def f(): pass\n", "b": "x.f()\n"}, ["budgetlint.a.f"]),
        ({"a": "def f(): pass\n", "b": "print('budgetlint.a:f')\n"}, []),
        ({"a": "def f(): pass\n", "b": "print('f')\n"}, ["budgetlint.a.f"]),
        ({"p/__init__": "from budgetlint.a import f\n", "a": "def f(): pass\n"}, ["budgetlint.a.f"]),
        ({"p/__init__": "from budgetlint.a import f\n", "a": "def f(): pass\n", "b": "from budgetlint.p import f\n"}, []),
        ({"a": "class C:\n    x: int = 0\n", "b": "from budgetlint.a import C\nC(x=1)\n"}, ["budgetlint.a.C.x"]),
        ({"a": "class C:\n    x: int = 0\n", "b": "from budgetlint.a import C\nprint(C().x)\n"}, []),
        ({"a": "class C:\n    def m(self): pass\n", "b": "from budgetlint.a import C\n"}, ["budgetlint.a.C.m"]),
        ({"a": "from enum import Enum\nclass C(Enum):\n    X = 1\n", "b": "from budgetlint.a import C\n"}, []),
        ({"a": "_TABLE = {}\n"}, ["budgetlint.a._TABLE"]),
    ],
)
def test_what_counts_as_a_use(modules: dict[str, str], found: list[str], tmp_path: Path) -> None:
    for name, text in {"__init__": "", **modules}.items():
        path = tmp_path / "budgetlint" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert unused(tmp_path) == found


@pytest.mark.slow
def test_every_exception_is_still_one(left: list[str]) -> None:
    assert [pattern for pattern in FOR_OTHERS if not any(fnmatchcase(name, pattern) for name in left)] == []
