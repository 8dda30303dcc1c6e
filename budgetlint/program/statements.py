"""What each statement does."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from budgetlint.program.assign import assign, augment, bind, declare, delete
from budgetlint.program.branches import assert_, if_, match_, try_
from budgetlint.program.classes import class_
from budgetlint.program.functions import function_
from budgetlint.program.imports import import_, import_from
from budgetlint.program.loops import for_, while_
from budgetlint.program.state import GOES_ON, Call, Frame, Interpreter, Signal
from budgetlint.program.values import NONE, Function, Object, Value


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


def _raise(it: Interpreter, node: ast.Raise, frame: Frame) -> Signal:
    if it.tries:
        it.tries[-1] = True
    return ("raise", NONE)


def _leaves(signal: str) -> Callable[[Interpreter, ast.stmt, Frame], Signal]:
    return lambda it, node, frame: (signal, NONE)


def _delete(it: Interpreter, node: ast.Delete, frame: Frame) -> Signal:
    for target in node.targets:
        delete(it, target, frame)
    return GOES_ON


def _shared(it: Interpreter, node: ast.Global | ast.Nonlocal, frame: Frame) -> Signal:
    declare(frame, node.names, everywhere=isinstance(node, ast.Global))
    return GOES_ON


def _with(it: Interpreter, node: ast.With | ast.AsyncWith, frame: Frame) -> Signal:
    for one in node.items:
        value = entered(it, it.evaluate(one.context_expr, frame), one.context_expr, frame)
        if one.optional_vars is not None:
            assign(it, one.optional_vars, value, frame)
    return it.run(node.body, frame)


def entered(it: Interpreter, value: Value, node: ast.AST, frame: Frame) -> Value:
    """What ``with value as x`` gives."""
    if isinstance(value, Object) and value.cls is not None:
        method = value.cls.find("__enter__")
        if isinstance(method, Function):
            return it.call(method.of(value), Call((), {}, None, node, frame))
    return value


def _type_alias(it: Interpreter, node: ast.stmt, frame: Frame) -> Signal:
    name = getattr(node, "name", None)
    if isinstance(name, ast.Name):
        bind(it, frame, name.id, Object("typing.TypeAliasType"))
    return GOES_ON


STATEMENTS: Mapping[type[ast.AST], Callable[..., Signal]] = {
    ast.Expr: _expression, ast.Assign: _assign, ast.AnnAssign: _annotated, ast.AugAssign: _augmented, ast.Return: _return, ast.Raise: _raise,
    ast.Break: _leaves("break"), ast.Continue: _leaves("continue"), ast.Delete: _delete, ast.Global: _shared, ast.Nonlocal: _shared,
    ast.With: _with, ast.AsyncWith: _with, ast.If: if_, ast.For: for_, ast.AsyncFor: for_, ast.While: while_, ast.Try: try_, ast.TryStar: try_,
    ast.Match: match_, ast.Assert: assert_, ast.FunctionDef: function_, ast.AsyncFunctionDef: function_, ast.ClassDef: class_,
    ast.Import: import_, ast.ImportFrom: import_from,
    **({ast.TypeAlias: _type_alias} if hasattr(ast, "TypeAlias") else {}),
}  # fmt: skip
