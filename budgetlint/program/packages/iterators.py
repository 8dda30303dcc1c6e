"""Iterators: worked out when they are gone over, as Python does it, and empty then. One is an object of kind ``iterator`` with a `Later`.

What is left of one that ``next`` was asked of is known as long as nothing has changed what it goes over.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import NamedTuple

from budgetlint.program.calling import Call
from budgetlint.program.choices import alternatives, choice
from budgetlint.program.ends import Dead
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.objects import Handler, Object
from budgetlint.program.packages.plain import Method, dunder, taken
from budgetlint.program.state import Interpreter
from budgetlint.program.values import ABSENT, Items, Map, Opaque, Value, Way

KIND = "iterator"
_LEFT, _SEEN, _SOURCES = "<left>", "<seen>", "<sources>"
Compute = Callable[[Interpreter, Call], Items]
First = Callable[[Interpreter, Call], Value]


class Later(NamedTuple):
    """``compute`` gives all items as they are now; ``first`` only the next one, of an iterator that calls a function for each.

    ``others``: does what is done for items that are not known one by one.
    """

    compute: Compute
    sources: tuple[Value, ...]
    first: First | None = None
    others: Callable[[Interpreter], None] = lambda it: None


def lazy(
    compute: Compute, sources: Sequence[Value], first: First | None = None, others: Callable[[Interpreter], None] = lambda it: None
) -> Object:
    """A new iterator over these."""
    made = Object(KIND)
    made.data = Later(compute, tuple(sources), first, others)
    made.attributes[_SOURCES] = Items(sources, "tuple")
    return made


def not_gone_over(what: str, values: Sequence[Value]) -> Object:
    """An iterator of which no item is known."""
    return lazy(lambda it, call: Items((), "list", taken(what, values)), values)


def is_iterator(value: Value) -> bool:
    return isinstance(value, Object) and isinstance(value.data, Later)


def forget(it: Interpreter, value: Value, what: str) -> None:
    """Some of its items are gone; nobody knows which."""
    for way in alternatives(value):
        if is_iterator(way.value) and isinstance(way.value, Object):
            it.heap.write(way.value, _LEFT, Items((), "list", Opaque(f"what {what} left", way.value, "builtins")))
            it.heap.write(way.value, _SEEN, ABSENT)


def _state(value: Value) -> tuple[object, ...]:
    """What an iterator over a value would see, part by part."""
    whole = getattr(value, "of", None) if isinstance(value, Items) else value
    if isinstance(whole, Map):
        return (*whole.items.values(), whole.rest, *map(repr, whole.items))
    if isinstance(value, Items):
        return (*value.items, value.more)
    return ()


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return len(one) == len(other) and all(a is b or (isinstance(a, str) and a == b) for a, b in zip(one, other, strict=True))


def _left(it: Interpreter, base: Object, call: Call) -> Items:
    """What going over it would give now."""
    assert isinstance(base.data, Later)
    left, seen = base.attributes.get(_LEFT, ABSENT), base.attributes.get(_SEEN, ABSENT)
    if base.rest is None and left is ABSENT:
        return base.data.compute(it, call)
    kept = seen.data if isinstance(seen, Object) else None
    unchanged = seen is ABSENT or (isinstance(kept, list) and all(map(_same, kept, map(_state, base.data.sources))))
    if base.rest is None and isinstance(left, Items) and unchanged:
        return left
    base.data.others(it)
    return Items((), "list", Opaque("an item of an iterator that was gone over in part", base, "builtins"))


def _gone_over(it: Interpreter, base: Value, call: Call) -> Value:
    """All of it. A loop that is left before its end leaves items."""
    assert isinstance(base, Object)
    found = _left(it, base, call)
    if isinstance(call.node, ast.For | ast.AsyncFor) and any(isinstance(one, ast.Break | ast.Return) for one in ast.walk(call.node)):
        forget(it, base, "a loop")
    else:
        it.heap.write(base, _LEFT, Items((), "list"))
        it.heap.write(base, _SEEN, ABSENT)
    return found


def _next(it: Interpreter, call: Call) -> Value:
    if call.rest is not None or call.keywords or not 1 <= len(call.positional) <= 2:
        return taken("next", call.given())
    return it.each(call.positional[0], lambda one: _first(it, one, call))


def _first(it: Interpreter, source: Value, call: Call) -> Value:
    default = call.get("", 1)
    if isinstance(source, Items):  # a generator, which is a list here
        value, left = split(source, default)
        it.heap.write(source, None, left)
        return value
    if not is_iterator(source) or not isinstance(source, Object) or not isinstance(source.data, Later):
        found = dunder(it, source, "__next__", call)
        return taken("next", [source, *([default] if default is not None else [])]) if found is None else found
    return _first_of(it, source, source.data, default, call)


def _first_of(it: Interpreter, source: Object, data: Later, default: Value | None, call: Call) -> Value:
    if data.first is not None:
        fresh = _LEFT not in source.attributes and source.rest is None
        if not fresh:
            data.others(it)
        value = data.first(it, call) if fresh else taken("next", [source])
        forget(it, source, "next")
    else:
        value, left = split(_left(it, source, call), ABSENT)
        it.heap.write(source, _LEFT, left)
        it.heap.write(source, _SEEN, _states(data))
    for one in data.sources:
        forget(it, one, "next")
    return _or_default(it, value, default)


def _or_default(it: Interpreter, value: Value, default: Value | None) -> Value:
    if not perhaps_absent(value):
        return value
    ways = [way for way in alternatives(value) if way.value is not ABSENT]
    if default is None and not ways:
        raise Dead
    if default is None:
        it.may_fail()
    return choice([*ways, *([Way("", default)] if default is not None else [])])


def _states(data: Later) -> Object:
    made = Object("iterator.state")
    made.data = [_state(one) for one in data.sources]
    return made


def split(source: Items, default: Value | None) -> tuple[Value, Items]:
    """The first item, or the default, and what is left."""
    if source.items and not perhaps_absent(source.items[0]):
        first, *others = source.items
        return first, Items(others, source.kind, source.more)
    ways: list[Way] = []
    certain = False
    for one in source.items:
        ways += [way for way in alternatives(one) if way.value is not ABSENT]
        certain = not perhaps_absent(one)
        if certain:
            break
    if not certain and source.more is not None:
        ways.append(Way("", taken("next", [source.more, source])))
    if not certain and default is not None:
        ways.append(Way("", default))
    if not ways:
        raise Dead
    empty = not source.items and source.more is None
    left = None if empty else Opaque("what next left", Items(source.items, "list", source.more), "builtins")
    return choice(ways), Items((), source.kind, left)


METHODS: dict[str, Method] = {
    f"{KIND}.__iter__": _gone_over,
    f"{KIND}.__next__": lambda it, base, call: _first(it, base, call._replace(positional=(base,))),
}
FUNCTIONS: dict[str, Handler] = {"next": _next}
