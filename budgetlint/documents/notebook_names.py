"""What a name of a notebook holds at a line: the literal that a plain statement of an earlier cell gives it.

IPython puts the text of the value into a command as it is (IPython 8 and 9 ``utils/text.py`` `DollarFormatter`). Cells are taken to be run
from the first to the last.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

Names = dict[str, list[tuple[int, str | None]]]
"""The lines on which each name is bound, with its text there; None where that is not known."""

LONGEST = 200
"""Characters of a value that a command is given."""


def names_at(program: str) -> Names:
    """What a program binds."""
    try:
        tree = ast.parse(program)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: Names = {}
    plain = {id(target): text for target, text in _plain(tree)}
    for node in ast.walk(tree):
        for name in _bound(node):
            found.setdefault(name, []).append((getattr(node, "lineno", 0), plain.get(id(node))))
    return found


def text_at(found: Names, name: str, line: int) -> str | None:
    """The text of a name on a line. What else than a plain statement binds it may do so at any time."""
    bound = found.get(name, [])
    before = sorted(one for one in bound if one[0] < line and one[1] is not None)
    return before[-1][1] if before and all(text is not None for _, text in bound) else None


def _plain(tree: ast.Module) -> Iterator[tuple[ast.Name, str]]:
    """``NAME = literal`` outside of every block."""
    for statement in tree.body:
        targets = (
            statement.targets if isinstance(statement, ast.Assign) else [statement.target] if isinstance(statement, ast.AnnAssign) else []
        )
        value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
        text = _text(value) if value is not None else None
        if text is not None:
            yield from ((target, text) for target in targets if isinstance(target, ast.Name))


def _text(value: ast.expr) -> str | None:
    try:
        held = ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    text = str(held) if isinstance(held, (str, int, float)) else ""
    return text if text and len(text) <= LONGEST and "\n" not in text else None


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names
