"""Methods of a Trainer that only look at what the base's own method gives: what trains is the base's."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_PASSED = frozenset({"compute_loss", "training_step"})
_COUNTED = frozenset({"item", "tolist"})
"""A number is taken, and no tensor is kept."""
_MODEL_AND_INPUTS = 2


def passes_on(node: ast.AST) -> bool:
    """``compute_loss(self, model, inputs, …)`` that hands both on to ``super()``, gives what comes back, and keeps no tensor of it."""
    if not isinstance(node, ast.FunctionDef) or node.name not in _PASSED:
        return False
    above = {id(part): whole for whole in ast.walk(node) for part in ast.iter_child_nodes(whole)}
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call) and _is_base(one.func, node.name)]
    given = [one.arg for one in node.args.args[1:]][:_MODEL_AND_INPUTS]
    if len(calls) != 1 or len(given) < _MODEL_AND_INPUTS or [_name(one) for one in calls[0].args[:_MODEL_AND_INPUTS]] != given:
        return False
    if any(sum(name == _name(one) for one in ast.walk(node)) != 1 for name in given):
        return False
    if any(isinstance(one, ast.Attribute) and one.attr in {"model", "model_wrapped"} for one in ast.walk(node)):
        return False
    names = _results(node, above.get(id(calls[0])))
    returned = [one.value for one in ast.walk(node) if isinstance(one, ast.Return)]
    if names is None or not returned or not all(_is_given_back(one, calls[0], names) for one in returned):
        return False
    loads = [one for one in ast.walk(node) if isinstance(one, ast.Name) and one.id in names and isinstance(one.ctx, ast.Load)]
    return all(_is_looked_at(one, above) for one in loads)


def _is_base(node: ast.expr, name: str) -> bool:
    """``super().name``"""
    owner = node.value if isinstance(node, ast.Attribute) and node.attr == name else None
    return isinstance(owner, ast.Call) and _name(owner.func) == "super"


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _results(node: ast.FunctionDef, home: ast.AST | None) -> frozenset[str] | None:
    """The names of what comes back, each bound once; None where it goes elsewhere."""
    if isinstance(home, ast.Return | ast.IfExp):
        return frozenset()
    if not isinstance(home, ast.Assign) or len(home.targets) != 1:
        return None
    target = home.targets[0]
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    names = [_name(one) for one in parts]
    bound = [one.id for one in ast.walk(node) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)]
    return frozenset(names) if all(names) and all(bound.count(one) == 1 for one in names) else None


def _is_given_back(node: ast.expr | None, call: ast.Call, names: frozenset[str]) -> bool:
    match node:
        case ast.Name(id=name):
            return name in names
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant()):
            return name in names
        case ast.Tuple(elts=parts):
            return all(_is_given_back(one, call, names) for one in parts)
        case ast.IfExp(body=one, orelse=other):
            return _is_given_back(one, call, names) and _is_given_back(other, call, names)
    return node is call


def _is_looked_at(node: ast.Name, above: dict[int, ast.AST]) -> bool:
    """Is it returned, or is a number taken of it?"""
    outer = list(_outer(node, above))
    return isinstance(outer[-1], ast.Return) or any(
        isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in _COUNTED for one in outer
    )


def _outer(node: ast.AST, above: dict[int, ast.AST]) -> Iterator[ast.AST]:
    """What it is a part of, up to the first that is no part of a look at it."""
    at: ast.AST | None = above.get(id(node))
    while at is not None:
        yield at
        if not isinstance(at, ast.Attribute | ast.Subscript | ast.Call | ast.Tuple | ast.IfExp):
            return
        at = above.get(id(at))


def calls_base(node: ast.AST, name: str) -> bool:
    """``super().NAME(...)`` somewhere in a method."""
    return any(isinstance(one, ast.Call) and _is_base(one.func, name) for one in ast.walk(node))


_MAKES = frozenset({"create_optimizer", "create_scheduler", "create_optimizer_and_scheduler"})


def only_calls_base(node: ast.AST) -> bool:
    """``create_scheduler`` and the like that are one call of ``super()``'s, given what came in: ``return super().NAME(…)``."""
    if not isinstance(node, ast.FunctionDef) or node.name not in _MAKES or not node.body:
        return False
    start = 1 if ast.get_docstring(node) is not None else 0
    body = node.body[start:]
    if len(body) != 1 or not isinstance(body[0], ast.Return | ast.Expr):
        return False
    call = body[0].value
    if not isinstance(call, ast.Call) or not _is_base(call.func, node.name):
        return False
    names = [one.arg for one in node.args.args[1:]]
    return [_name(one) for one in call.args] + [_name(one.value) for one in call.keywords] == names and all(
        one.arg in (None, _name(one.value)) for one in call.keywords
    )
