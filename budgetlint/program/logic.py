"""``and``, ``or``, ``not`` and ``a if b else c``: what they are, and what they are as a condition."""

from __future__ import annotations

import ast
from collections.abc import Callable

from budgetlint.program.assign import bind
from budgetlint.program.calling import Frame
from budgetlint.program.choices import alternatives, choice
from budgetlint.program.comparisons import held
from budgetlint.program.operators import made_of, unary
from budgetlint.program.state import Interpreter, Signal
from budgetlint.program.truth import truth
from budgetlint.program.values import ABSENT, FALSE, TRUE, Choice, Known, Unset, Value, Way
from budgetlint.program.wording import negated, shown

_NAMES = "names"
_CALLS_NOTHING = (ast.Constant, ast.Name, ast.Attribute)
_BOOLEAN = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
"""Comparisons that give True or False, whatever is compared."""


def tested(it: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """What a condition is: nothing but whether it counts as true is asked of it."""
    match node:
        case ast.BoolOp():
            return _either(it, node.values, isinstance(node.op, ast.Or), frame, is_condition=True)
        case ast.UnaryOp(op=ast.Not()):
            return _negation(it, node, tested(it, node.operand, frame), frame)
    return it.evaluate(node, frame)


def either(it: Interpreter, node: ast.BoolOp, frame: Frame) -> Value:
    return _either(it, node.values, isinstance(node.op, ast.Or), frame)


def _either(it: Interpreter, nodes: list[ast.expr], wanted: bool, frame: Frame, *, is_condition: bool = False) -> Value:
    """``a or b`` (``wanted`` True): the first that counts as true, else the last; ``and`` the other way round."""
    first = tested(it, nodes[0], frame) if is_condition else it.evaluate(nodes[0], frame)
    if len(nodes) == 1:
        return first
    known = held(it, first, nodes[0], frame)
    if known is not None:
        return first if known is wanted else _either(it, nodes[1:], wanted, frame, is_condition=is_condition)
    if wanted and not is_condition and isinstance(first, Unset) and len(nodes) == 2 and isinstance(nodes[1], _CALLS_NOTHING):
        other = it.evaluate(nodes[1], frame)
        if isinstance(other, Known) and other.value is not None:  # ``os.getenv(NAME) or default`` is ``os.getenv(NAME, default)``
            return Known(other.value, (*first.origins, *other.origins))
    kept = [way for way in alternatives(first) if truth(way.value) is not (not wanted)]
    decided = (TRUE if wanted else FALSE) if is_condition or _is_boolean(nodes[0]) else choice(kept)
    text = shown(nodes[0])
    ways: list[tuple[str, Callable[[], Signal]]] = [
        (text if wanted else negated(text), lambda: ("return", decided)),
        (
            negated(text) if wanted else text,
            lambda: ("return", _either(it, nodes[1:], wanted, frame, is_condition=is_condition)),
        ),
    ]
    return _of_fork(it, ways)


def _is_boolean(node: ast.expr) -> bool:
    match node:
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Compare(ops=[op]):
            return isinstance(op, _BOOLEAN)
    return False


def _of_fork(it: Interpreter, ways: list[tuple[str, Callable[[], Signal]]]) -> Value:
    return it.value_of(it.fork(ways))


def conditional(it: Interpreter, node: ast.IfExp, frame: Frame) -> Value:
    known = held(it, tested(it, node.test, frame), node, frame)
    if known is not None:
        return it.evaluate(node.body if known else node.orelse, frame)
    text = shown(node.test)
    return _of_fork(
        it,
        [
            (text, lambda: _narrowed(it, node.test, node.body, frame, holds=True)),
            (negated(text), lambda: _narrowed(it, node.test, node.orelse, frame, holds=False)),
        ],
    )


def _narrowed(it: Interpreter, test: ast.expr, node: ast.expr, frame: Frame, *, holds: bool) -> Signal:
    narrow(it, test, frame, holds=holds)
    return ("return", it.evaluate(node, frame))


def single(it: Interpreter, node: ast.UnaryOp, frame: Frame) -> Value:
    operand = it.evaluate(node.operand, frame)
    return _negation(it, node, operand, frame) if isinstance(node.op, ast.Not) else unary(node.op, operand)


def _negation(it: Interpreter, node: ast.UnaryOp, operand: Value, frame: Frame) -> Value:
    ways = [(way.when, held(it, way.value, node, frame)) for way in alternatives(operand) if way.value is not ABSENT]
    if any(known is None for _, known in ways) or not ways:
        return made_of(operand)
    return choice(Way(when, FALSE if known else TRUE) for when, known in ways)


def narrow(it: Interpreter, test: ast.expr, frame: Frame, *, holds: bool) -> None:
    """Behind a condition, a name that was a choice keeps only the ways that the condition allows."""
    for name in _names_of(test):
        value = frame.names.bound.get(name)
        if isinstance(value, Choice):
            kept = [way for way in value.ways if _allowed(it, test, frame, name, way, holds=holds)]
            if kept and len(kept) < len(value.ways):
                bind(it, frame, name, choice(kept))


def _names_of(test: ast.expr) -> tuple[str, ...]:
    """The plain names of a condition without calls; none for others, which are not asked again. Kept on the tree."""
    found: tuple[str, ...] | None = test.__dict__.get(_NAMES)
    if found is None:
        nodes = list(ast.walk(test))
        calls = any(isinstance(one, ast.Call | ast.NamedExpr | ast.Await) for one in nodes)
        found = test.__dict__[_NAMES] = () if calls else tuple(sorted({one.id for one in nodes if isinstance(one, ast.Name)}))
    return found


def _allowed(it: Interpreter, test: ast.expr, frame: Frame, name: str, way: Way, *, holds: bool) -> bool:
    if way.value is ABSENT:
        return False
    whole = frame.names.bound[name]
    frame.names.bound[name] = way.value
    try:
        found = it.tried(lambda: tested(it, test, frame))
    finally:
        frame.names.bound[name] = whole
    return any(one.signal != "raise" and truth(one.value) in (None, holds) for one in found)
