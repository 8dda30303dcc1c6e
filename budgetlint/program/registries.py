"""Containers that functions fill: what registers itself there may do so in modules that nobody saw imported, so that what is not in one
tells nothing."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from budgetlint.program.places import Origin
from budgetlint.program.values import Items, Map, Value

if TYPE_CHECKING:
    # it is asked of the interpreter on its way, which keeps what it says
    from budgetlint.program.state import Interpreter

_FILLS = frozenset({"__setitem__", "add", "append", "extend", "insert", "setdefault", "update"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_registry(it: Interpreter, value: Value) -> bool:
    """Is it a container of the source that a function beside it fills?"""
    return isinstance(value, Map | Items) and any(one.kind == "source" and _is_filled(it, one) for one in value.origins)


def _is_filled(it: Interpreter, origin: Origin) -> bool:
    tree = it.modules.trees.tree(origin.place.path)
    if tree is None:
        return False
    nodes = list(ast.walk(tree))
    names = {
        _word(target)
        for one in nodes
        if isinstance(one, ast.Assign | ast.AnnAssign) and one.value is not None and one.value.lineno == origin.place.line
        for target in (one.targets if isinstance(one, ast.Assign) else [one.target])
    } - {""}
    return bool(names) and any(_fills(one) in names for body in nodes if isinstance(body, _FUNCTIONS) for one in ast.walk(body))


def _fills(node: ast.AST) -> str:
    """The name of the container that is filled here."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return _word(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILLS:
        return _word(node.func.value)
    return ""


def _word(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
