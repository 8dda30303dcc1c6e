"""No package imports another in a circle, and no module of a package another of it, but where a comment says why."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from house import LAZY, TOP, TYPING, circles_of_modules, circles_of_packages, edges
from unused import modules_of

EVERY = (TOP, LAZY, TYPING)


def test_packages_import_one_another_in_no_circle(modules: dict[str, Any]) -> None:
    """Imports inside functions and those for types counted: no comment excuses these."""
    assert circles_of_packages(edges(modules), EVERY) == []


def test_modules_do_so_only_where_a_comment_says_why(modules: dict[str, Any], repository: Path) -> None:
    assert circles_of_modules(edges(modules, repository), EVERY) == []


IN_FUNCTION = "def f():\n    from budgetlint.p import a{}\n"
FOR_TYPES = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n{}    from budgetlint.p.a import A\n"
A = {"p/a": "from budgetlint.p import b\n"}
ROUND = ["budgetlint.p.a budgetlint.p.b"]


@pytest.mark.parametrize(
    ("modules", "found"),
    [
        (A | {"p/b": ""}, []),
        (A | {"p/b": "from budgetlint.p import a\n"}, ROUND),
        (A | {"p/b": "from budgetlint.p import a  # a layer may be made of layers\n"}, ROUND),
        (A | {"p/b": IN_FUNCTION.format("")}, ROUND),
        (A | {"p/b": IN_FUNCTION.format("  # noqa: PLC0415")}, ROUND),
        (A | {"p/b": IN_FUNCTION.format("  # a circle")}, ROUND),
        (A | {"p/b": IN_FUNCTION.format("  # a layer may be made of layers")}, []),
        (A | {"p/b": FOR_TYPES.format("")}, ROUND),
        (A | {"p/b": FOR_TYPES.format("    # a layer may be made of layers\n")}, []),
    ],
)
def test_what_counts_as_a_circle_of_modules(modules: dict[str, str], found: list[str], tmp_path: Path) -> None:
    _write(tmp_path, modules)
    assert circles_of_modules(edges(modules_of(tmp_path), tmp_path), EVERY) == found


@pytest.mark.parametrize(
    ("modules", "found"),
    [
        ({"p/a": "from budgetlint.q import b\n", "q/b": "", "q/c": ""}, []),
        (
            {"p/a": "from budgetlint.q import b\n", "p/d": "", "q/b": "", "q/c": "from budgetlint.p import d\n"},
            ["budgetlint.p budgetlint.q"],
        ),
        ({"p/a": "def f():\n    from budgetlint.q import b\n", "q/b": "from budgetlint.p import a\n"}, ["budgetlint.p budgetlint.q"]),
    ],
)
def test_what_counts_as_a_circle_of_packages(modules: dict[str, str], found: list[str], tmp_path: Path) -> None:
    _write(tmp_path, modules)
    assert circles_of_packages(edges(modules_of(tmp_path)), EVERY) == found


def _write(root: Path, modules: dict[str, str]) -> None:
    for name in {"", *(name.rpartition("/")[0] for name in modules)}:
        modules = {f"{name}/__init__".lstrip("/"): "", **modules}
    for name, text in modules.items():
        path = root / "budgetlint" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
