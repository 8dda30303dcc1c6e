"""What counts as a mutant, and that a copy of the tree is what is changed."""

from __future__ import annotations

from pathlib import Path

import mutants
import pytest


def texts(module: str) -> list[str]:
    source = mutants.Source(module)
    return [source.with_(mutant).decode() for mutant in mutants.mutants(source)]


@pytest.mark.parametrize(
    ("module", "changed"),
    [
        ("A = 4\n", ["A = 5\n"]),
        ("A = b * c\n", ["A = b + c\n"]),
        ("A = (b) // c\n", ["A = (b) * c\n"]),
        ("A = -(-b // c)\n", ["A = -(-b * c)\n"]),
        ("A = b < c\n", ["A = b <= c\n"]),
        ("A = b is not c\n", ["A = b is c\n"]),
        ("A = b not in c\n", ["A = b in c\n"]),
        ("A = b and c and d\n", ["A = b or c and d\n"]),
        ("if a:\n    b()\n", ["if (not (a)):\n    b()\n"]),
        ("A = b if c else d\n", ["A = b if (not (c)) else d\n"]),
        ("A = 'ä', 1\n", ["A = 'ä', 2\n"]),  # places are bytes
    ],
)
def test_one_thing_is_another(module: str, changed: list[str]) -> None:
    assert texts(module) == changed


@pytest.mark.parametrize(
    "module",
    [
        '"""One 1."""\n',
        "A: Literal[1]\n",
        "def a(b: Literal[1]) -> Literal[2]: ...\n",
        "@lru_cache(maxsize=5)\ndef a(): ...\n",
        "A = f'{b:,} {c * 2}'\n",
        "if TYPE_CHECKING:\n    import a\n",
        "A = True\n",
        "A = 0.5\n",
        "A = a < b < c\n",
    ],
)
def test_what_is_left_alone(module: str) -> None:
    assert texts(module) == []


def test_the_copy_has_what_git_sees_and_the_tree_stays(tmp_path: Path) -> None:
    module = "budgetlint/memory/need.py"
    before = (mutants.TREE / module).read_bytes()
    copy = mutants.copied(tmp_path)
    assert (copy / module).read_bytes() == before
    assert not (copy / ".git").exists()
    (copy / module).write_text("")
    assert (mutants.TREE / module).read_bytes() == before


def test_a_mutant_is_shown_with_its_line() -> None:
    source = mutants.Source("A = 1\n\nB = 4  # four\n")
    assert mutants.shown("a.py", mutants.mutants(source)[1], source) == "a.py:3 4->5 | B = 4  # four"
