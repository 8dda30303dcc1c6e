"""What a loop, a ``*`` or a comprehension goes over."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from budgetlint.program.calling import Call, Frame
from budgetlint.program.choices import choice
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.objects import Class, Function, Object
from budgetlint.program.reads import gone_over
from budgetlint.program.state import Interpreter
from budgetlint.program.values import ABSENT, Choice, Items, Key, Known, Map, Opaque, Value, Way

_MOST = 2_000


def iterated(it: Interpreter, value: Value, node: ast.AST, frame: Frame) -> tuple[Sequence[Value], Value | None]:
    """The items that are known, and why there may be more; None where these are all."""
    match value:
        case Items() if value.kind in ("set", "frozenset") and (len(value.items) > 1 or (value.items and value.more is not None)):
            return (), Opaque("an item of a set, in no order that is known", value, "builtins", value.origins)
        case Items():
            return value.items, value.more
        case Map():
            gone_over(it, value, node)
            return [_perhaps(key_value(key), one) for key, one in value.items.items()], value.rest
        case Known() if isinstance(value.value, str) and len(value.value) <= _MOST:
            return [Known(one, value.origins) for one in value.value], None
        case Choice():
            return (), Opaque("one of several", value)
        case Class() if value.attributes.get("__members__") is not None:
            return iterated(it, value.attributes["__members__"], node, frame)
        case Object() if value.cls is not None and isinstance(value.cls.find("__iter__"), Function):
            found = started(it, value, node, frame)
            own = isinstance(found, Object) and found.cls is not None  # with a ``__next__`` of its own
            return ((), Opaque("an iterator", value)) if own else iterated(it, found, node, frame)
        case Object():
            handler = it.parts.methods.get(f"{value.kind}.__iter__")
            given = handler(it, value, Call((), {}, None, node, frame)) if handler is not None else None
            if isinstance(given, Items):
                return given.items, given.more
    return (), Opaque(f"an item of {value!r}"[:100], value, getattr(value, "package", ""))


def started(it: Interpreter, value: Value, node: ast.AST, frame: Frame) -> Value:
    """What ``__iter__`` of a class of the repository gives; anything else is gone over itself."""
    method = value.cls.find("__iter__") if isinstance(value, Object) and value.cls is not None else None
    return it.call(method.of(value), Call((), {}, None, node, frame)) if isinstance(method, Function) else value


def _perhaps(key: Value, value: Value) -> Value:
    """A key that is there if its value is."""
    return choice([Way("", key), Way("", ABSENT)]) if perhaps_absent(value) else key


def key_value(key: Key) -> Value:
    """A key of a mapping as a value."""
    if isinstance(key, Value):
        return key
    return Items([key_value(one) for one in key], "tuple") if isinstance(key, tuple) else Known(key)
