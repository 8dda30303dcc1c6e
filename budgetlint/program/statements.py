"""What each statement does."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from budgetlint.program.assign import assign, augment, bind, declare, delete
from budgetlint.program.branches import assert_, if_
from budgetlint.program.calling import Frame
from budgetlint.program.classes import class_
from budgetlint.program.errors import raise_, try_
from budgetlint.program.functions import function_
from budgetlint.program.imports import import_, import_from
from budgetlint.program.loops import for_, while_
from budgetlint.program.managers import with_
from budgetlint.program.matching import match_
from budgetlint.program.objects import Object
from budgetlint.program.state import GOES_ON, Interpreter, Signal
from budgetlint.program.values import NONE


def _expression(it: Interpreter, node: ast.Expr, frame: Frame) -> Signal:
    if not isinstance(node.value, ast.Constant):
        it.evaluate(node.value, frame)
    return GOES_ON


def _assign(it: Interpreter, node: ast.Assign, frame: Frame) -> Signal:
    value = it.evaluate(node.value, frame)
    for target in node.targets:
        assign(it, target, value, frame)
    return GOES_ON


def _annotated(it: Interpreter, node: ast.AnnAssign, frame: Frame) -> Signal:
    if node.value is not None:
        assign(it, node.target, it.evaluate(node.value, frame), frame)
    return GOES_ON


def _augmented(it: Interpreter, node: ast.AugAssign, frame: Frame) -> Signal:
    augment(it, node, frame)
    return GOES_ON


def _return(it: Interpreter, node: ast.Return, frame: Frame) -> Signal:
    return ("return", it.evaluate(node.value, frame) if node.value is not None else NONE)


def _leaves(signal: str) -> Callable[[Interpreter, ast.stmt, Frame], Signal]:
    return lambda it, node, frame: (signal, NONE)


def _delete(it: Interpreter, node: ast.Delete, frame: Frame) -> Signal:
    for target in node.targets:
        delete(it, target, frame)
    return GOES_ON


def _shared(it: Interpreter, node: ast.Global | ast.Nonlocal, frame: Frame) -> Signal:
    declare(frame, node.names, everywhere=isinstance(node, ast.Global))
    return GOES_ON


def _type_alias(it: Interpreter, node: ast.stmt, frame: Frame) -> Signal:
    name = getattr(node, "name", None)
    if isinstance(name, ast.Name):
        bind(it, frame, name.id, Object("typing.TypeAliasType"))
    return GOES_ON


STATEMENTS: Mapping[type[ast.AST], Callable[..., Signal]] = {
    ast.Expr: _expression, ast.Assign: _assign, ast.AnnAssign: _annotated, ast.AugAssign: _augmented, ast.Return: _return, ast.Raise:
    raise_, ast.Break: _leaves("break"), ast.Continue: _leaves("continue"), ast.Delete: _delete, ast.Global: _shared, ast.Nonlocal: _shared,
    ast.With: with_, ast.AsyncWith: with_, ast.If: if_, ast.For: for_, ast.AsyncFor: for_, ast.While: while_, ast.Try: try_, ast.TryStar:
    try_, ast.Match: match_, ast.Assert: assert_, ast.FunctionDef: function_, ast.AsyncFunctionDef: function_, ast.ClassDef: class_,
    ast.Import: import_, ast.ImportFrom: import_from, **({ast.TypeAlias: _type_alias} if hasattr(ast, "TypeAlias") else {}),
}  # fmt: skip
