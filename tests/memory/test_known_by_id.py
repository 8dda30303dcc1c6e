"""Nothing asks for a term by its words: a better sentence changes no figure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

WORDS = frozenset({"what", "arithmetic"})
"""Attributes of terms and tensors that are texts."""

SAID = re.compile(rf"\.(?:{'|'.join(sorted(WORDS))})\b|\blabel\(")
"""What a module that reads them has somewhere: most have not, and need no tree."""

LOOKS = frozenset(
    {"startswith", "endswith", "partition", "rpartition", "split", "removeprefix", "removesuffix", "find", "index", "count", "replace"}
    | {"match", "search", "fullmatch", "sub", "findall"}
)


def _texts(node: ast.AST) -> bool:
    """Does an expression read the words of a term, or the words of an id?"""
    return any(
        (isinstance(one, ast.Attribute) and one.attr in WORDS)
        or (isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == "label")
        for one in ast.walk(node)
    )


def looks(source: str) -> Iterator[int]:
    """Lines that compare such words, take them apart or use them as keys."""
    if not SAID.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare) and any(_texts(side) for side in (node.left, *node.comparators)):
            yield node.lineno
        called = node.func if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
        if called is not None and called.attr in LOOKS and any(_texts(one) for one in (called.value, *node.args)):  # type: ignore[attr-defined]
            yield node.lineno
        if isinstance(node, ast.Subscript) and _texts(node.slice):
            yield node.lineno


BEFORE = [
    'kept = [row for row in rows if not row.what.startswith("log-softmax")]',
    'sum(term.bytes for term in phase.terms if "cuBLAS workspaces" in term.what)',
    'key = FIGURE.sub("0", term.what)',
    'name, _, arithmetic = term.what.partition(": ")',
    'tensor.arithmetic.endswith(f" x {width} B")',
    "sums[term.what] += term.bytes",
    'label(term.id) == "logits"',
]


@pytest.mark.parametrize("line", BEFORE)
def test_it_finds_how_words_were_asked(line: str) -> None:
    assert list(looks(line)) == [1]


def test_nothing_asks_for_words(repository: Path) -> None:
    files = [path for room in ("budgetlint", "rules") for path in sorted((repository / room).rglob("*.py"))]
    found = [f"{path.relative_to(repository)}:{line}" for path in files for line in looks(path.read_text(encoding="utf-8"))]
    assert len(files) > 500
    assert found == []
