"""Generators: their body is followed when they are gone over, and what is done with an item at the `yield` that gives it."""

from __future__ import annotations

import ast
from collections.abc import Callable

from budgetlint.program.calling import Call, Frame
from budgetlint.program.ends import Dead
from budgetlint.program.heap import Outcome
from budgetlint.program.objects import Function, Object
from budgetlint.program.operators import MOST_ITEMS
from budgetlint.program.packages.iterators import Later, lazy
from budgetlint.program.repeat import repeated
from budgetlint.program.state import GOES_ON, Interpreter, Signal
from budgetlint.program.values import NONE, Items, Opaque, Value

MANAGER = "contextlib.contextmanager()"
"""The kind of what a function under `@contextmanager` gives."""
_LEAVES = "leaves by "


class Leaves(Dead):
    """What is done with an item leaves the loop: the generator ends here, save for its `finally`."""

    def __init__(self, signal: str, value: Value) -> None:
        super().__init__(value)
        self.signal = signal


class Body:
    """The body of a generator with its arguments."""

    __slots__ = ("frame", "function")

    def __init__(self, function: Function, frame: Frame) -> None:
        self.function, self.frame = function, frame

    def __call__(self, it: Interpreter, call: Call) -> Items:
        """All items, where nothing is done between them."""
        made = Items((), "list")

        def keep(value: Value) -> Signal:
            it.heap.write(made, None, _with(made, value))
            return GOES_ON

        drive(it, self, keep)
        return Items(made.items, "list", made.more)

    def first(self, it: Interpreter, call: Call) -> Value:
        """The first item. What the body does when it goes on is done later, if it is."""
        made = Items((), "list")

        def keep(value: Value) -> Signal:
            it.heap.write(made, None, _with(made, value))
            return ("break", NONE)

        drive(it, self, keep)
        return made.items[0] if made.items else Opaque("the first item of a generator", made.more)


def _with(items: Items, value: Value) -> Items:
    if items.more is not None:
        return items
    if len(items.items) >= MOST_ITEMS:
        return Items((), items.kind, Opaque("a generator of too many items"))
    return Items((*items.items, value), items.kind)


def generator(function: Function, frame: Frame) -> Object:
    """What a call of a function with `yield` gives."""
    body = Body(function, frame)
    return lazy(body, [*frame.names.bound.values()], body.first, lambda it: _any(it, body))


def body_of(value: Value) -> Body | None:
    """The body of a generator that nobody has gone over yet; None for anything else."""
    data = value.data if isinstance(value, Object) else None
    if isinstance(data, Object):  # of a context manager
        return body_of(data)
    if isinstance(value, Object) and isinstance(data, Later) and isinstance(data.compute, Body) and len(value.attributes) == 1:
        return data.compute
    return None


def drive(it: Interpreter, body: Body, do: Callable[[Value], Signal]) -> Signal:
    """Follows a generator's body, and at each `yield` what is done with the item.

    How it ends: by itself, or as what is done with an item ends.
    """
    frame = Frame(body.frame.names, body.function)
    frame.given = lambda value: _given(it, value, do)
    it.stack.append(body.function)
    try:
        found = it.stretch(lambda: it.run(body.function.node.body, frame))  # type: ignore[arg-type]
    finally:
        it.stack.pop()
    return it.settle([_outside(one) for one in found])


def _outside(one: Outcome) -> Outcome:
    if one.signal.startswith(_LEAVES):
        return one._replace(signal=one.signal.removeprefix(_LEAVES))
    return one if one.signal == "raise" else one._replace(signal="", value=NONE)


def _given(it: Interpreter, value: Value, do: Callable[[Value], Signal]) -> Value:
    found = it.stretch(lambda: do(value))
    named = [
        one._replace(signal="" if one.signal in ("", "continue") else one.signal if one.signal == "raise" else _LEAVES + one.signal)
        for one in found
    ]
    signal, left = it.settle(named)
    if signal == "raise":
        raise Dead(left)
    if signal:
        raise Leaves(signal, left)
    return NONE


def yield_(it: Interpreter, node: ast.Yield, frame: Frame) -> Value:
    value = it.evaluate(node.value, frame) if node.value is not None else NONE
    return frame.given(value) if frame.given is not None else Opaque("what a generator is sent")


def yield_from(it: Interpreter, node: ast.YieldFrom, frame: Frame) -> Value:
    from budgetlint.program.iterate import iterated

    whole = it.evaluate(node.value, frame)
    given = frame.given
    if given is None:
        return Opaque("what a generator is sent")
    body = body_of(whole)
    if body is not None:
        signal, value = drive(it, body, lambda one: _passed(given, one))
        if signal:
            raise Dead(value) if signal == "raise" else Leaves(signal, value)
        return Opaque("what a generator returns")
    items, more = iterated(it, whole, node, frame)
    for one in items:
        given(one)
    if more is not None:
        repeated(it, lambda: _passed(given, Opaque("an item of a generator", whole)), "it has items", node, frame.names)
    return Opaque("what a generator returns")


def _passed(given: Callable[[Value], Value], one: Value) -> Signal:
    given(one)
    return GOES_ON


def consumed(it: Interpreter, value: Value) -> None:
    """A generator that is handed to code that nobody follows: it is gone over there, some of it at least."""
    data = value.data if isinstance(value, Object) else None
    if isinstance(data, Object):  # of a context manager
        consumed(it, data)
    elif isinstance(data, Later) and isinstance(value, Object) and len(value.attributes) == 1:
        data.others(it)


def _any(it: Interpreter, body: Body) -> None:
    """Any part of it, any number of times."""
    repeated(it, lambda: drive(it, body, lambda one: GOES_ON), "", body.function.node)
