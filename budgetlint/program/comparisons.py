"""Comparisons of a program, chained ones too, and whether a value counts as true: by its class's own methods where it has them."""

from __future__ import annotations

import ast

from budgetlint.program.calling import Call, Frame
from budgetlint.program.choices import alternatives, both, choice
from budgetlint.program.objects import Function, Object
from budgetlint.program.operators import made_of
from budgetlint.program.state import Interpreter
from budgetlint.program.truth import compared, truth
from budgetlint.program.value_errors import compared as out_of_order
from budgetlint.program.value_errors import taken_for_true
from budgetlint.program.values import FALSE, TRUE, Choice, Opaque, Value, Way
from budgetlint.program.wording import negated, shown
from budgetlint.program.words_asked import compared_with

_MOST_PAIRS = 16
_METHODS: dict[type[ast.cmpop], str] = {
    ast.Eq: "__eq__", ast.NotEq: "__ne__", ast.Lt: "__lt__", ast.LtE: "__le__", ast.Gt: "__gt__", ast.GtE: "__ge__",
}  # fmt: skip

_ASKS = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)


def compare(it: Interpreter, node: ast.Compare, frame: Frame) -> Value:
    return _from(it, node, 0, it.evaluate(node.left, frame), frame)


def _from(it: Interpreter, node: ast.Compare, at: int, left: Value, frame: Frame) -> Value:
    """The comparisons from here on: the first that fails ends them, and what is to the right of it is not asked."""
    right = it.evaluate(node.comparators[at], frame)
    value = _pair(it, node.ops[at], left, right, Call((right,), {}, None, node, frame))
    if at + 1 == len(node.ops):
        return value
    held = truth(value)
    if held is not None:
        return _from(it, node, at + 1, right, frame) if held else value
    text = shown(ast.Compare(node.left if at == 0 else node.comparators[at - 1], [node.ops[at]], [node.comparators[at]]))
    return it.value_of(
        it.fork([(text, lambda: ("return", _from(it, node, at + 1, right, frame))), (negated(text), lambda: ("return", FALSE))])
    )


def _pair(it: Interpreter, op: ast.cmpop, left: Value, right: Value, call: Call) -> Value:
    pairs = [(both(one.when, other.when), one.value, other.value) for one in alternatives(left) for other in alternatives(right)]
    if 1 < len(pairs) <= _MOST_PAIRS:
        return choice(Way(when, _pair(it, op, one, other, call)) for when, one, other in pairs)
    own = _own(it, op, left, right, call)
    if own is not None:
        return own
    found = compared(op, left, right)
    if isinstance(op, _ASKS):
        compared_with(it, left, right, it.place(call.node, call.frame), within=isinstance(op, ast.In | ast.NotIn))
    refused = out_of_order(it, op, left, right, call.node, call.frame) if found is None else None
    if refused is not None:
        return refused
    return Opaque(getattr(made_of(left, right), "why", "")) if found is None else TRUE if found else FALSE


def _own(it: Interpreter, op: ast.cmpop, left: Value, right: Value, call: Call) -> Value | None:
    """What a method of a class of the repository says."""
    if isinstance(op, ast.In | ast.NotIn):
        found = _called(it, right, "__contains__", call._replace(positional=(left,)))
        return found if found is None or isinstance(op, ast.In) else _not(found)
    found = _called(it, left, _METHODS.get(type(op), ""), call._replace(positional=(right,)))
    if found is None and isinstance(op, ast.NotEq):
        found = _called(it, left, "__eq__", call._replace(positional=(right,)))
        return None if found is None else _not(found)
    return found


def _not(value: Value) -> Value:
    known = truth(value)
    return Opaque("not what is not known") if known is None else FALSE if known else TRUE


def _called(it: Interpreter, value: Value, name: str, call: Call) -> Value | None:
    method = value.cls.find(name) if isinstance(value, Object) and value.cls is not None else None
    return it.call(method.of(value), call) if isinstance(method, Function) else None


def held(it: Interpreter, value: Value, node: ast.AST, frame: Frame) -> bool | None:
    """Whether a value counts as true, asked of its class where that has a word in it."""
    if isinstance(value, Choice) and any(isinstance(way.value, Object) for way in value.ways):
        found = {held(it, way.value, node, frame) for way in value.ways}
        return found.pop() if len(found) == 1 else None
    for name in ("__bool__", "__len__"):
        own = _called(it, value, name, Call((), {}, None, node, frame))
        if own is not None:
            return truth(own)
    taken_for_true(it, value, it.place(node, frame))
    return truth(value)
