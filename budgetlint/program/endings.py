"""Statements that end a program, as far as the text tells."""

from __future__ import annotations

import ast


def ends(node: ast.stmt) -> bool:
    """An error, or an exit."""
    if isinstance(node, ast.Raise):
        return True
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) in {"sys.exit", "exit", "quit", "os._exit"}
    )
