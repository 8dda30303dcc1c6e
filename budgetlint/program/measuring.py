"""A program that takes gradients and steps on none of them: it measures (calibration, importance, saliency) and trains nothing."""

from __future__ import annotations

import ast

from budgetlint.program.follow import Followed
from budgetlint.program.modules import Trees

_TRAINS = frozenset({"optimizer", "deepspeed", "trainer", "foreign_trainer", "trains", "accelerator", "fsdp"})
_STEPS = frozenset({"step", "add_", "sub_", "addcdiv_", "addcmul_", "lerp_", "copy_", "set_"})


def only_measures(followed: Followed, trees: Trees) -> bool:
    """Of a model that is loaded: nothing that is not followed had a part of it in its hands, and nothing in the files that were followed
    can change a weight."""
    kinds = {one.kind for one in followed.sinks}
    if not {"backward", "load"} <= kinds or kinds & _TRAINS or followed.stopped or followed.refusals or followed.handed:
        return False
    if any(one.is_of_all or one.kind == "touched" for one in followed.doubts):
        return False
    return all(path.endswith(".py") and not trees.holds(path, _may_step) for path in followed.modules)


def _may_step(node: ast.AST) -> bool:
    """A name that speaks of an optimizer, a method that writes into a tensor, a difference with a gradient, ``weight.data = …``."""
    match node:
        case ast.Attribute(attr=name):
            return name in _STEPS or "optim" in name.lower() or (name == "data" and isinstance(node.ctx, ast.Store))
        case ast.Name(id=name) | ast.arg(arg=name) | ast.alias(name=name) | ast.keyword(arg=str(name)):
            return "optim" in name.lower()
        case ast.AugAssign(target=target, op=op, value=value):
            return _is_data(target) or (isinstance(op, ast.Sub) and _has_gradient(value))
        case ast.BinOp(op=ast.Sub(), right=right):
            return _has_gradient(right)
    return False


def _is_data(target: ast.expr) -> bool:
    return any(isinstance(one, ast.Attribute) and one.attr == "data" for one in ast.walk(target))


def _has_gradient(value: ast.expr) -> bool:
    return any("grad" in (one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "")) for one in ast.walk(value))
