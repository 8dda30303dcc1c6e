"""Functions that call others for each item, and what makes iterators: ``map``, ``filter``, ``iter``, ``reduce``."""

from __future__ import annotations

import ast

from budgetlint.program.calling import Call
from budgetlint.program.choices import alternatives, choice
from budgetlint.program.ends import Dead
from budgetlint.program.models import model_of
from budgetlint.program.objects import Function, Handler, Object
from budgetlint.program.packages.iterators import is_iterator, lazy, not_gone_over
from budgetlint.program.packages.plain import dunder, taken
from budgetlint.program.packages.sequences import Gone, bag_of, items_of, together
from budgetlint.program.repeat import repeated
from budgetlint.program.state import GOES_ON, UNROLLED, Interpreter, Signal
from budgetlint.program.truth import truth
from budgetlint.program.values import ABSENT, Items, Known, Map, Opaque, Value, Way


def _again(call: Call, *given: Value) -> Call:
    return Call(given, {}, None, call.node, call.frame)


def _map(it: Interpreter, call: Call) -> Value:
    if call.rest is not None or len(call.positional) < 2:
        return unfollowed("map", call)
    function, *sources = call.positional

    def first(it: Interpreter, again: Call) -> Value:
        every = together(it, sources, again)
        if any(not items and more is None for items, more in every):
            return ABSENT
        if any(not items for items, _ in every):
            return choice([Way("", taken("next", sources)), Way("", ABSENT)])
        return it.call(function, _again(again, *(items[0] for items, _ in every)))

    return lazy(lambda it, again: _mapped(it, function, sources, again), [function, *sources], first)


def _mapped(it: Interpreter, function: Value, sources: list[Value], call: Call) -> Items:
    every = together(it, sources, call)
    most = min(len(items) for items, _ in every)
    if most > UNROLLED:
        every, most = [([], taken("map", sources)) for _ in every], 0
    made = [it.call(function, _again(call, *(items[at] for items, _ in every))) for at in range(most)]
    left = [more for _, more in every if more is not None]
    if not left or any(more is None and len(items) == most for items, more in every):
        return Items(made)
    _any_times(it, function, [Opaque("an item of map", one, "builtins") for one in sources], call)
    return Items(made, "list", taken("map", [*left, *sources]))


def _any_times(it: Interpreter, function: Value, given: list[Value], call: Call) -> None:
    """Calls a function as often as nobody knows."""

    def once() -> Signal:
        it.call(function, _again(call, *given))
        return GOES_ON

    if repeated(it, once, "it has items")[0] == "raise":
        raise Dead


def unfollowed(what: str, call: Call) -> Value:
    return not_gone_over(what, call.given())


def _filter(it: Interpreter, call: Call) -> Value:
    if call.rest is not None or len(call.positional) != 2:
        return unfollowed("filter", call)
    function, source = call.positional
    if _asks_whether_it_trains(function) and isinstance(source, Opaque) and "parameters" in source.why and model_of(source) is not None:
        return source  # what is frozen is told where it is frozen

    def first(it: Interpreter, again: Call) -> Value:
        items, more = items_of(it, source, again)
        for one in items:
            known = _passes(it, function, one, again)
            if known:
                return one
            if known is None:
                return choice([Way("", one), Way("", taken("next", [source])), Way("", ABSENT)])
        return ABSENT if more is None else choice([Way("", taken("next", [source])), Way("", ABSENT)])

    own = isinstance(function, Known) and function.value is None
    return lazy(lambda it, again: _filtered(it, function, source, again), [function, source], None if own else first)


def _asks_whether_it_trains(function: Value) -> bool:
    """``lambda p: p.requires_grad``"""
    body = function.node.body if isinstance(function, Function) and isinstance(function.node, ast.Lambda) else None
    return isinstance(body, ast.Attribute) and body.attr == "requires_grad" and isinstance(body.value, ast.Name)


def _passes(it: Interpreter, function: Value, one: Value, call: Call) -> bool | None:
    own = isinstance(function, Known) and function.value is None
    return truth(one if own else it.call(function, _again(call, one)))


def _filtered(it: Interpreter, function: Value, source: Value, call: Call) -> Items:
    items, more = items_of(it, source, call)
    if len(items) > UNROLLED:
        items, more = [], taken("filter", [source])
    kept: list[Value] = []
    for one in items:
        known = _passes(it, function, one, call)
        if known is not False:
            kept.append(one if known else choice([Way("", one), Way("", ABSENT)]))
    if more is not None:
        _any_times(it, function, [Opaque("an item of filter", source, "builtins")], call)
    return Items(kept, "list", more)


def _iter(it: Interpreter, call: Call) -> Value:
    if call.rest is not None or len(call.positional) != 1:
        return unfollowed("iter", call)

    def made(value: Value) -> Value:
        if is_iterator(value):
            return value
        found = dunder(it, value, "__iter__", call)
        if found is not None:
            return found
        if isinstance(value, Items | Map | Known):
            return lazy(lambda it, again: Items(*_gone(items_of(it, value, again))), [value])
        return not_gone_over("iter", [value])

    return it.each(call.positional[0], made)


def _gone(found: Gone) -> tuple[list[Value], str, Value | None]:
    return found[0], "list", found[1]


def _reduce(it: Interpreter, call: Call) -> Value:
    if call.rest is not None or call.keywords or not 2 <= len(call.positional) <= 3:
        return taken("functools.reduce", call.given(), "functools")
    function, source, *start = call.positional
    items, more = items_of(it, source, call)
    if more is not None or len(items) > UNROLLED:
        _any_times(it, function, [Opaque("a part of reduce", source, "functools"), Opaque("an item of reduce", source, "functools")], call)
        return taken("functools.reduce", [source, *start], "functools")
    whole = [*start, *items]
    if not whole:
        raise Dead
    made = whole[0]
    for one in whole[1:]:
        made = it.call(function, _again(call, made, one))
    return made


def _counter(it: Interpreter, call: Call) -> Value:
    return Map({}, taken("collections.Counter", call.given()))


def _shuffled(it: Interpreter, call: Call) -> Value:
    """``random.shuffle``: the same items in an order that nobody knows."""
    for way in alternatives(call.positional[0]) if call.positional else ():
        value = way.value
        if isinstance(value, Items):
            items, _ = bag_of(it, value, call)
            if len(items) != 1 or value.more is not None or len(value.items) != 1:
                it.heap.write(
                    value,
                    None,
                    Items((), value.kind, Opaque("an item of a shuffled list", Items(value.items, "list", value.more), "random")),
                )
        elif isinstance(value, Object):
            it.disturb(value, "random.shuffle", it.place(call.node, call.frame))
    return Known(None)


FUNCTIONS: dict[str, Handler] = {
    "map": _map, "filter": _filter, "iter": _iter, "functools.reduce": _reduce, "collections.Counter": _counter,
    "random.shuffle": _shuffled, "numpy.random.shuffle": _shuffled,
}  # fmt: skip
