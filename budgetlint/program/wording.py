"""What the text of a program tells without being followed: its conditions in its own words, statements that end it."""

from __future__ import annotations

import ast

MOST_SHOWN = 70


def ends(node: ast.stmt) -> bool:
    """An error, or an exit."""
    if isinstance(node, ast.Raise):
        return True
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) in {"sys.exit", "exit", "quit", "os._exit"}
    )


def shown(test: ast.expr) -> str:
    """A condition in the program's words."""
    text = ast.unparse(test)
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]}..."


def negated(text: str) -> str:
    return text[4:] if text.startswith("not ") and " and " not in text and " or " not in text else f"not ({text})"
