"""How often one step of a program's own loop runs the model: a loss of two runs keeps what both leave.

Only what stands in the text of the innermost loop around ``backward`` is counted: of the ways of a condition the one with the most, nothing
under ``torch.no_grad()``, and no loop inside it, which is an evaluation as a rule.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from budgetlint.program.objects import Object
from budgetlint.program.sinks import Sink

_UNTRAINED = ("no_grad", "inference_mode")


class ModelRun(NamedTuple):
    """A call of a model or module, and the module that it stands in."""

    of: Object
    node: ast.AST
    path: str
    tree: ast.Module


def runs_a_step(runs: Sequence[ModelRun], sinks: Iterable[Sink]) -> int:
    """The most that a step of any loop with a ``backward`` runs one of these."""
    found = 0
    nodes = {id(one.node) for one in runs}
    trees = {one.path: one.tree for one in runs}
    backward = {id(one.place.node): one.place for one in sinks if one.kind == "backward"}  # each round of a loop met them anew
    for place in backward.values():
        tree = trees.get(place.path)
        if tree is not None and place.node is not None:
            loop = _innermost(tree, place.node)
            found = max(found, _counted(loop.body, nodes) if loop is not None else 0)
    return found


def _innermost(tree: ast.Module, node: ast.AST) -> ast.For | ast.While | ast.AsyncFor | None:
    around = [
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.For | ast.While | ast.AsyncFor) and any(inner is node for part in one.body for inner in ast.walk(part))
    ]
    return around[-1] if around else None  # `ast.walk` gives the outer ones first


def _counted(body: Sequence[ast.stmt], nodes: set[int]) -> int:
    return sum(_of_one(one, nodes) for one in body)


def _of_one(node: ast.stmt, nodes: set[int]) -> int:
    match node:
        case ast.If():
            return _in(node.test, nodes) + max(_counted(node.body, nodes), _counted(node.orelse, nodes))
        case ast.With() | ast.AsyncWith():
            return 0 if any(_is_untrained(item.context_expr) for item in node.items) else _counted(node.body, nodes)
        case ast.Try():
            handled = max((_counted(one.body, nodes) for one in node.handlers), default=0)
            return max(_counted(node.body, nodes), handled) + _counted(node.orelse, nodes) + _counted(node.finalbody, nodes)
        case ast.For() | ast.While() | ast.AsyncFor() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return 0
    return _in(node, nodes)


def _in(node: ast.AST, nodes: set[int]) -> int:
    if isinstance(node, ast.IfExp):
        return _in(node.test, nodes) + max(_in(node.body, nodes), _in(node.orelse, nodes))
    return (id(node) in nodes) + sum(_in(one, nodes) for one in ast.iter_child_nodes(node))


def _is_untrained(node: ast.expr) -> bool:
    return any(
        isinstance(one, ast.Attribute | ast.Name) and getattr(one, "attr", getattr(one, "id", "")) in _UNTRAINED for one in ast.walk(node)
    )
