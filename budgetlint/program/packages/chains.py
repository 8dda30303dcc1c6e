"""``itertools``."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from budgetlint.program.calling import Call
from budgetlint.program.objects import Handler
from budgetlint.program.packages.applied import unfollowed
from budgetlint.program.packages.iterators import forget, is_iterator, lazy, not_gone_over
from budgetlint.program.packages.plain import MOST_PARTS, spread, taken
from budgetlint.program.packages.sequences import items_of
from budgetlint.program.state import Interpreter
from budgetlint.program.values import Items, Known, Value


def _chain(it: Interpreter, call: Call) -> Value:
    if call.rest is not None:
        return unfollowed("itertools.chain", call)
    return lazy(lambda it, again: _chained(it, call.positional, again), call.positional)


def _chain_of(it: Interpreter, call: Call) -> Value:
    if call.rest is not None or len(call.positional) != 1:
        return unfollowed("itertools.chain", call)

    def compute(it: Interpreter, again: Call) -> Items:
        sources, more = items_of(it, call.positional[0], again)
        return _chained(it, [*sources, *([more] if more is not None else [])], again)

    return lazy(compute, call.positional)


def _chained(it: Interpreter, sources: Sequence[Value], call: Call) -> Items:
    made: list[Value] = []
    for one in sources:
        items, more = items_of(it, one, call)
        made += items
        if more is not None or len(made) > MOST_PARTS:
            return Items(made[:MOST_PARTS], "list", taken("itertools.chain", [more if more is not None else one, *sources]))
    return Items(made)


def _product(it: Interpreter, call: Call) -> Value:
    every = [items_of(it, one, call) for one in call.positional]
    count = 1
    for items, _ in every:
        count *= len(items)
    if call.rest is not None or call.keywords or any(more is not None for _, more in every) or count > MOST_PARTS:
        return unfollowed("itertools.product", call)
    found = Items([Items(one, "tuple") for one in itertools.product(*(items for items, _ in every))])
    return lazy(lambda it, again: found, ())


def _islice(it: Interpreter, call: Call) -> Value:
    numbers = [one.value for one in call.positional[1:] if isinstance(one, Known) and (one.value is None or isinstance(one.value, int))]
    small = all(one is None or 0 <= one <= MOST_PARTS for one in numbers) and numbers[2:] != [0]
    source = call.get("", 0)
    told = small and call.rest is None and 2 <= len(numbers) + 1 == len(call.positional) <= 4
    if source is None or not told or is_iterator(source):
        if source is not None:
            forget(it, source, "islice")
        return unfollowed("itertools.islice", call)
    stop = numbers[0] if len(numbers) == 1 else numbers[1]

    def compute(it: Interpreter, again: Call) -> Items:
        items, more = items_of(it, source, again)
        if more is not None and not (isinstance(stop, int) and stop <= len(items)):
            return Items((), "list", taken("itertools.islice", [source]))
        return Items(items[slice(*numbers)])

    return lazy(compute, [source])


def _repeat(it: Interpreter, call: Call) -> Value:
    value, times = call.get("object", 0), call.get("times", 1)
    if value is None or not isinstance(times, Known) or not isinstance(times.value, int) or times.value > MOST_PARTS:
        return unfollowed("itertools.repeat", call)
    found = Items([value] * times.value)
    return lazy(lambda it, again: found, ())


def _choices(name: str) -> Handler:
    """``combinations`` and ``permutations`` of a few items, which are taken at once."""

    def handler(it: Interpreter, call: Call) -> Value:
        def made(values: list[Value]) -> Value:
            items, more = items_of(it, values[0], call)
            size = len(items) if len(values) == 1 else values[1].value if isinstance(values[1], Known) else None
            if more is not None or len(items) > 8 or not isinstance(size, int) or size < 0:
                return not_gone_over(name, values)
            found = Items([Items(one, "tuple") for one in getattr(itertools, name)(items, size)])
            return lazy(lambda it, again: found, ())

        return spread(it, call.positional, made, name) if call.rest is None and call.positional else unfollowed(name, call)

    return handler


def _endless(name: str) -> Handler:
    return lambda it, call: unfollowed(name, call)


FUNCTIONS: dict[str, Handler] = {
    "itertools.chain": _chain, "itertools.chain.from_iterable": _chain_of, "itertools.product": _product, "itertools.islice": _islice,
    "itertools.repeat": _repeat, "itertools.combinations": _choices("combinations"), "itertools.permutations": _choices("permutations"),
    **{f"itertools.{name}": _endless(f"itertools.{name}") for name in ("count", "cycle", "zip_longest")},
}  # fmt: skip
