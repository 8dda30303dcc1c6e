"""`with`: what a context manager does before and after, and the errors that it takes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial

from budgetlint.program.assign import assign
from budgetlint.program.calling import Call, Frame
from budgetlint.program.choices import alternatives
from budgetlint.program.ends import Dead
from budgetlint.program.errors import catches, finally_
from budgetlint.program.functions import own_nodes
from budgetlint.program.generators import MANAGER, Body, body_of, drive
from budgetlint.program.heap import Outcome
from budgetlint.program.objects import Function, Object
from budgetlint.program.state import GOES_ON, Interpreter, Signal
from budgetlint.program.truth import truth
from budgetlint.program.values import NONE, Choice, Items, Opaque, Value

_SUPPRESS = "contextlib.suppress"
_LEFT = "<left>"
_MANAGER = 6
"""Python's own frames that one more manager takes."""
_ANY = frozenset({""})


class _Left(Value):
    """How the body of a `with` ended."""

    __slots__ = ("signal", "value")

    def __init__(self, signal: str, value: Value) -> None:
        self.signal, self.value, self.origins = signal, value, ()


def with_(it: Interpreter, node: ast.With | ast.AsyncWith, frame: Frame) -> Signal:
    return _inside(it, node, 0, frame)


def _inside(it: Interpreter, node: ast.With | ast.AsyncWith, at: int, frame: Frame) -> Signal:
    """The managers from here on, and the body."""
    if at == len(node.items):
        return it.run(node.body, frame)
    it.deeper(_MANAGER)
    try:
        return _entered(it, node, at, frame)
    finally:
        it.nested -= _MANAGER


def _entered(it: Interpreter, node: ast.With | ast.AsyncWith, at: int, frame: Frame) -> Signal:
    one = node.items[at]
    value = it.evaluate(one.context_expr, frame)

    def body(entered: Value) -> Signal:
        if one.optional_vars is not None:
            assign(it, one.optional_vars, entered, frame)
        return _inside(it, node, at + 1, frame)

    if isinstance(value, Choice) and any(_acts(way.value) for way in value.ways):
        return it.fork([(way.when, partial(_managed, it, way.value, one.context_expr, frame, body)) for way in value.ways])
    return _managed(it, value, one.context_expr, frame, body)


def _acts(value: Value) -> bool:
    return isinstance(value, Object) and (value.cls is not None or value.kind in (MANAGER, _SUPPRESS))


def _managed(it: Interpreter, value: Value, node: ast.AST, frame: Frame, body: Callable[[Value], Signal]) -> Signal:
    if isinstance(value, Object) and value.kind == _SUPPRESS:
        return _suppressed(it, value.data, body)
    generator = body_of(value) if isinstance(value, Object) and value.kind == MANAGER else None
    if generator is not None:
        return _around(it, generator, body)
    if isinstance(value, Object) and value.cls is not None:
        return _own(it, value, Call((), {}, None, node, frame), body)
    return body(value)


def _suppressed(it: Interpreter, kinds: object, body: Callable[[Value], Signal]) -> Signal:
    wanted = kinds if isinstance(kinds, Items) else Opaque("errors that are not known")
    found: list[Outcome] = []
    for one in _caught(it, lambda: body(NONE), _ANY):
        takes = catches(wanted, one.value) if one.signal == "raise" else False
        found += [] if takes is True else [one]
        found += [] if takes is False else [one._replace(signal="", value=NONE)]
    return it.settle(found)


def _caught(it: Interpreter, run: Callable[[], Signal], names: frozenset[str] | None) -> list[Outcome]:
    """How a body can end; errors are among the ends where these are caught here."""
    if names is None:
        return it.stretch(run)
    it.tries.append(names)
    try:
        return it.stretch(run)
    finally:
        it.tries.pop()


def _around(it: Interpreter, generator: Body, body: Callable[[Value], Signal]) -> Signal:
    """A function with one `yield`: the body is done there, and however it ends, the rest of the function after it."""
    names = generator.frame.names

    def at_yield(value: Value) -> Signal:
        found = it.stretch(lambda: body(value))
        groups: dict[str, list[Outcome]] = {}
        for one in found:
            groups.setdefault(one.signal, []).append(one)
        ended = [end for signal, ones in groups.items() for end in it.way("", partial(_noted, it, generator, signal, ones))]
        return it.settle(ended)

    signal = drive(it, generator, at_yield)
    if signal[0]:
        return signal
    left = names.bound.get(_LEFT)
    if left is None:
        raise Dead("RuntimeError")  # it gave nothing
    ends = [Outcome(way.value.signal, way.value.value, {}, way.when) for way in alternatives(left) if isinstance(way.value, _Left)]
    return it.settle(ends) if ends else GOES_ON


def _noted(it: Interpreter, generator: Body, signal: str, outcomes: list[Outcome]) -> Signal:
    value = it.settle(outcomes)[1]
    it.heap.write(generator.frame.names, _LEFT, _Left("" if signal == "raise" else signal, NONE if signal == "raise" else value))
    return ("raise", value) if signal == "raise" else GOES_ON


def _own(it: Interpreter, value: Object, call: Call, body: Callable[[Value], Signal]) -> Signal:
    """An object of a class of the repository."""
    assert value.cls is not None
    enter, leave = value.cls.find("__enter__") or value.cls.find("__aenter__"), value.cls.find("__exit__") or value.cls.find("__aexit__")
    entered = it.call(enter.of(value), call) if isinstance(enter, Function) else value
    if not isinstance(leave, Function):
        return body(entered)
    method, names = leave.of(value), _ANY if _may_swallow(leave) else None
    return finally_(it, lambda: _caught(it, lambda: body(entered), names), lambda one: _exits(it, method, call, one))


def _exits(it: Interpreter, method: Function, call: Call, end: Outcome) -> Signal:
    """``__exit__``: what it gives decides whether an error goes on."""
    if end.signal != "raise":
        it.call(method, call._replace(positional=(NONE, NONE, NONE)))
        return (end.signal, end.value)
    swallowed = truth(it.call(method, call._replace(positional=(Opaque("an error's class"), end.value, Opaque("a traceback")))))
    if swallowed is None:
        return it.settle([Outcome("", NONE, {}), Outcome("raise", end.value, {})])
    return GOES_ON if swallowed else ("raise", end.value)


def _may_swallow(leave: Function) -> bool:
    """Whether ``__exit__`` gives something else than nothing."""
    given = [one.value for one in own_nodes(leave.node) if isinstance(one, ast.Return) and one.value is not None]
    return any(not (isinstance(one, ast.Constant) and not one.value) for one in given)
