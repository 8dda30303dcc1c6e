"""What the text of a program tells without being followed: its conditions in its own words, statements that end it."""

from __future__ import annotations

import ast

MOST_SHOWN = 70
_MOST_NODES, _DEEPEST = 300, 20
_WORDS = "words"
_EXITS = frozenset({"sys.exit", "exit", "quit", "os._exit"})


def ends(node: ast.stmt) -> bool:
    """An error, or an exit."""
    return isinstance(node, ast.Raise) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and words(node.value.func) in _EXITS
    )


def shown(node: ast.AST) -> str:
    """A condition in the program's words."""
    text = words(node)
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]}..."


def words(node: ast.AST) -> str:
    """The text of a node; one that is nested deeper than anybody reads is not written out, as that would take Python's own stack."""
    kept: str | None = node.__dict__.get(_WORDS)  # on the tree, which all programs of a project share
    if kept is None:
        kept = node.__dict__[_WORDS] = _written(node)
    return kept


def _written(node: ast.AST) -> str:
    waiting: list[tuple[ast.AST, int]] = [(node, 0)]
    seen = 0
    while waiting:
        one, depth = waiting.pop()
        seen += 1
        if depth > _DEEPEST or seen > _MOST_NODES:
            return "a long expression"
        waiting += [(inner, depth + 1) for inner in ast.iter_child_nodes(one)]
    return ast.unparse(node)


def negated(text: str) -> str:
    return text[4:] if text.startswith("not ") and " and " not in text and " or " not in text else f"not ({text})"
