"""Functions that call others for each item, and iterators: ``map``, ``filter``, ``next``, ``iter``, ``functools.reduce``, ``itertools``.

What Python does when an item is asked for is done at once here, in the same order. An iterator has the kind ``iterator``, and is empty after it
was gone over.
"""

from __future__ import annotations

import itertools

from budgetlint.program.heap import perhaps_absent
from budgetlint.program.packages.plain import MOST_PARTS, dunder, origins_in, spread, unknown
from budgetlint.program.packages.sequences import bag_of, items_of
from budgetlint.program.repeat import repeated
from budgetlint.program.state import GOES_ON, UNROLLED, Call, Dead, Interpreter, Signal
from budgetlint.program.truth import truth
from budgetlint.program.values import ABSENT, Handler, Items, Known, Map, Object, Opaque, Value, Way, alternatives, choice


def _again(call: Call, *given: Value) -> Call:
    return Call(given, {}, None, call.node, call.frame)


def _map(it: Interpreter, call: Call) -> Value:
    if call.rest is not None or len(call.positional) < 2:
        return _open("map", call)
    function, *sources = call.positional
    every = [items_of(it, one, call) for one in sources]
    most = min(len(items) for items, _ in every)
    if most > UNROLLED:
        every, most = [([], unknown("map", sources)) for _ in every], 0
    made = [it.call(function, _again(call, *(items[at] for items, _ in every))) for at in range(most)]
    left = [more for _, more in every if more is not None]
    if not left or any(more is None and len(items) == most for items, more in every):
        return Items(made, "iterator")
    _any_times(it, function, [Opaque("an item of map", one, "builtins") for one in sources], call)
    return Items(made, "iterator", unknown("map", [*left, *sources]))


def _any_times(it: Interpreter, function: Value, given: list[Value], call: Call) -> None:
    """Calls a function as often as nobody knows."""

    def once() -> Signal:
        it.call(function, _again(call, *given))
        return GOES_ON

    if repeated(it, once, "it has items")[0] == "raise":
        raise Dead


def _open(what: str, call: Call) -> Items:
    return Items((), "iterator", unknown(what, call.given()))


def _filter(it: Interpreter, call: Call) -> Value:
    if call.rest is not None or len(call.positional) != 2:
        return _open("filter", call)
    function, source = call.positional
    own = isinstance(function, Known) and function.value is None
    items, more = items_of(it, source, call)
    if len(items) > UNROLLED:
        items, more = [], unknown("filter", [source])
    kept: list[Value] = []
    for one in items:
        known = truth(one if own else it.call(function, _again(call, one)))
        if known is not False:
            kept.append(one if known else choice([Way("", one), Way("", ABSENT)]))
    if more is not None and not own:
        _any_times(it, function, [Opaque("an item of filter", source, "builtins")], call)
    return Items(kept, "iterator", more)


def _iter(it: Interpreter, call: Call) -> Value:
    if call.rest is not None or len(call.positional) != 1:
        return _open("iter", call)

    def made(value: Value) -> Value:
        if isinstance(value, Items) and value.kind == "iterator":
            return value
        found = dunder(it, value, "__iter__", call)
        if found is not None:
            return found
        if isinstance(value, Items | Map | Known):
            items, more = items_of(it, value, call)
            return Items(items, "iterator", more, value.origins)
        return unknown("iter", [value])

    return it.each(call.positional[0], made)


def _next(it: Interpreter, call: Call) -> Value:
    if call.rest is not None or not 1 <= len(call.positional) <= 2:
        return unknown("next", call.given())
    return it.each(call.positional[0], lambda one: _first(it, one, call))


def _first(it: Interpreter, source: Value, call: Call) -> Value:
    default = call.get("", 1)
    if not isinstance(source, Items) or source.kind not in ("iterator", "list"):
        found = dunder(it, source, "__next__", call)
        return unknown("next", [source]) if found is None else found
    if source.items and not perhaps_absent(source.items[0]):
        first, *others = source.items
        it.heap.write(source, None, Items(others, source.kind, source.more))
        return first
    return _first_that_is_there(it, source, default)


def _first_that_is_there(it: Interpreter, source: Items, default: Value | None) -> Value:
    ways: list[Way] = []
    certain = False
    for one in source.items:
        ways += [way for way in alternatives(one) if way.value is not ABSENT]
        certain = not perhaps_absent(one)
        if certain:
            break
    if not certain and source.more is not None:
        ways.append(Way("", unknown("next", [source.more, source])))
    if not certain and default is not None:
        ways.append(Way("", default))
    if not ways:
        raise Dead
    if source.items or source.more is not None:
        it.heap.write(source, None, Items((), source.kind, Opaque("what next left", source, "builtins", origins_in([source]))))
    return choice(ways)


def _reduce(it: Interpreter, call: Call) -> Value:
    if call.rest is not None or call.keywords or not 2 <= len(call.positional) <= 3:
        return unknown("functools.reduce", call.given(), "functools")
    function, source, *start = call.positional
    items, more = items_of(it, source, call)
    if more is not None or len(items) > UNROLLED:
        _any_times(it, function, [Opaque("a part of reduce", source, "functools"), Opaque("an item of reduce", source, "functools")], call)
        return unknown("functools.reduce", [source, *start], "functools")
    whole = [*start, *items]
    if not whole:
        raise Dead
    made = whole[0]
    for one in whole[1:]:
        made = it.call(function, _again(call, made, one))
    return made


def _chain(it: Interpreter, call: Call) -> Value:
    return _chained(it, list(call.positional), call) if call.rest is None else _open("itertools.chain", call)


def _chain_of(it: Interpreter, call: Call) -> Value:
    if call.rest is not None or len(call.positional) != 1:
        return _open("itertools.chain", call)
    sources, more = items_of(it, call.positional[0], call)
    return _chained(it, [*sources, *([more] if more is not None else [])], call)


def _chained(it: Interpreter, sources: list[Value], call: Call) -> Value:
    made: list[Value] = []
    for one in sources:
        items, more = items_of(it, one, call)
        made += items
        if more is not None or len(made) > MOST_PARTS:
            return Items(made[:MOST_PARTS], "iterator", unknown("itertools.chain", [more if more is not None else one, *sources]))
    return Items(made, "iterator")


def _product(it: Interpreter, call: Call) -> Value:
    every = [items_of(it, one, call) for one in call.positional]
    count = 1
    for items, _ in every:
        count *= len(items)
    if call.rest is not None or call.keywords or any(more is not None for _, more in every) or count > MOST_PARTS:
        return _open("itertools.product", call)
    return Items([Items(one, "tuple") for one in itertools.product(*(items for items, _ in every))], "iterator")


def _islice(it: Interpreter, call: Call) -> Value:
    ends = [one.value if isinstance(one, Known) else ABSENT for one in call.positional[1:]]
    source = call.get("", 0)
    whole = all(one is None or (isinstance(one, int) and 0 <= one <= MOST_PARTS) for one in ends)
    if call.rest is not None or source is None or not whole or not ends or (isinstance(source, Items) and source.kind == "iterator"):
        return _open("itertools.islice", call)
    items, more = items_of(it, source, call)
    stop = ends[0] if len(ends) == 1 else ends[1]
    if more is not None and not (isinstance(stop, int) and stop <= len(items)):
        return _open("itertools.islice", call)
    return Items(list(itertools.islice(items, *ends)), "iterator")  # type: ignore[arg-type]


def _repeat(it: Interpreter, call: Call) -> Value:
    value, times = call.get("object", 0), call.get("times", 1)
    if value is None or not isinstance(times, Known) or not isinstance(times.value, int) or times.value > MOST_PARTS:
        return _open("itertools.repeat", call)
    return Items([value] * times.value, "iterator")


def _choices(name: str) -> Handler:
    """``combinations`` and ``permutations`` of a few items."""

    def handler(it: Interpreter, call: Call) -> Value:
        def made(values: list[Value]) -> Value:
            items, more = items_of(it, values[0], call)
            size = values[1].value if len(values) > 1 and isinstance(values[1], Known) else ABSENT if len(values) > 1 else len(items)
            if more is not None or len(items) > 8 or not isinstance(size, int) or size < 0:
                return Items((), "iterator", unknown(name, values))
            return Items([Items(one, "tuple") for one in getattr(itertools, name)(items, size)], "iterator")

        return spread(it, call.positional, made, name) if call.rest is None and call.positional else _open(name, call)

    return handler


def _counter(it: Interpreter, call: Call) -> Value:
    return Map({}, unknown("collections.Counter", call.given()))


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


def _unfollowed(name: str) -> Handler:
    return lambda it, call: _open(name, call)


FUNCTIONS: dict[str, Handler] = {
    "map": _map, "filter": _filter, "iter": _iter, "next": _next, "functools.reduce": _reduce, "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chain_of, "itertools.product": _product, "itertools.islice": _islice, "itertools.repeat": _repeat,
    "itertools.combinations": _choices("combinations"), "itertools.permutations": _choices("permutations"),
    **{f"itertools.{name}": _unfollowed(f"itertools.{name}") for name in ("count", "cycle", "zip_longest")},
    "collections.Counter": _counter, "random.shuffle": _shuffled, "numpy.random.shuffle": _shuffled,
}  # fmt: skip
