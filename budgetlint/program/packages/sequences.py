"""Python's own functions of what can be gone over: ``list``, ``range``, ``zip``, ``sorted``, ``max``, ``any`` …"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from budgetlint.program.heap import perhaps_absent
from budgetlint.program.iterate import iterated
from budgetlint.program.packages.plain import REFUSED, NotPlain, computed, exact, origins_in, plain, spread, unknown
from budgetlint.program.state import UNROLLED, Call, Dead, Interpreter
from budgetlint.program.truth import truth
from budgetlint.program.values import FALSE, NONE, TRUE, Choice, Class, Function, Handler, Items, Known, Map, Opaque, Value, origins_of

MOST_OF_A_RANGE = UNROLLED * 4
_MOST_END = 2**40
Gone = tuple[list[Value], Value | None]
"""Items in order, and why there may be more after them; None where these are all."""


def items_of(it: Interpreter, value: Value, call: Call) -> Gone:
    """What going over a value gives, in order. The items of a set, and those of which it is not known whether they are there, are in `more`."""
    if isinstance(value, Known) and isinstance(value.value, bytes):
        return (
            ([Known(one, value.origins) for one in value.value], None)
            if len(value.value) <= MOST_OF_A_RANGE
            else ([], unknown("bytes", [value]))
        )
    if isinstance(value, Known) and not isinstance(value.value, str):
        raise Dead
    items, more = iterated(it, value, call.node, call.frame)
    if isinstance(value, Items) and value.kind in ("set", "frozenset") and len(items) > 1:
        return [], Opaque("an item of a set, in no order that is known", value, "builtins", origins_in([value]))
    if isinstance(value, Items) and value.kind == "iterator":
        it.heap.write(value, None, Items((), "iterator"))
    at = next((at for at, one in enumerate(items) if perhaps_absent(one)), None)
    if at is not None:
        return list(items[:at]), Opaque("an item that is perhaps there", value, "builtins", origins_in([value]))
    return list(items), more


def bag_of(it: Interpreter, value: Value, call: Call) -> Gone:
    """The same where the order is of no matter: a set's items too, once each."""
    if isinstance(value, Items) and value.kind in ("set", "frozenset") and value.more is None:
        found = distinct(value.items)
        if found is not None:
            return found, None
    return items_of(it, value, call)


def distinct(items: Sequence[Value]) -> list[Value] | None:
    """The members of a set of these, the first of equal ones; None where it is not known which are equal."""
    kept: dict[object, Value] = {}
    try:
        for one in items:
            kept.setdefault(one if isinstance(one, Class | Function) else plain(one), one)
    except (NotPlain, TypeError):
        return list(items) if len(items) < 2 and not any(map(perhaps_absent, items)) else None
    return list(kept.values())


def _container(kind: str) -> Handler:
    """``list``, ``tuple``, ``set``, ``frozenset``, ``reversed``, ``iter``: a new one of these items."""

    def made(it: Interpreter, value: Value, call: Call) -> Value:
        if kind in ("set", "frozenset"):
            return set_of(*bag_of(it, value, call), kind, value)
        items, more = items_of(it, value, call)
        return Items(items, kind, more, value.origins)

    def handler(it: Interpreter, call: Call) -> Value:
        if call.rest is None and not call.given():
            return Items((), kind)
        if call.rest is not None or call.keywords or len(call.positional) != 1:
            return unknown(kind, call.given())
        return it.each(call.positional[0], lambda one: made(it, one, call))

    return handler


def set_of(items: list[Value], more: Value | None, kind: str, source: Value) -> Items:
    """A set of what was gone over."""
    found = distinct(items)
    if more is None and found is not None:
        return Items(found, kind, None, source.origins)
    return Items((), kind, Opaque("a set of what is not known", source, "builtins", origins_in([source])), source.origins)


def _reversed(it: Interpreter, call: Call) -> Value:
    if len(call.given()) != 1 or call.rest is not None:
        return unknown("reversed", call.given())

    def turned(value: Value) -> Value:
        if isinstance(value, Items) and value.kind in ("set", "frozenset", "iterator"):
            raise Dead
        items, more = items_of(it, value, call)
        return Items(items[::-1], "iterator", None, value.origins) if more is None else _not_known("reversed", [value], "iterator")

    return it.each(call.positional[0], turned)


def _not_known(what: str, values: Sequence[Value], kind: str = "list") -> Items:
    return Items((), kind, unknown(what, values), origins_of(values))


def _range(it: Interpreter, call: Call) -> Value:
    def made(values: list[Value]) -> Value:
        ends = [one.value for one in values if isinstance(one, Known) and isinstance(one.value, int)]
        if any(isinstance(one, Items | Map) or (isinstance(one, Known) and not isinstance(one.value, int)) for one in values):
            raise Dead
        if len(ends) < len(values) or any(abs(one) > _MOST_END for one in ends):
            return _not_known("range", values, "range")
        try:
            found = range(*ends)
        except (TypeError, ValueError):
            raise Dead from None
        if len(found) > MOST_OF_A_RANGE:
            return Items((), "range", Opaque(f"a number of {found}", None, "builtins", origins_in(values)))
        return Items([Known(one, origins_in(values)) for one in found], "range")

    if call.rest is not None or call.keywords or not call.positional:
        return _not_known("range", call.given(), "range")
    return spread(it, call.positional, made, "range")


def _enumerate(it: Interpreter, call: Call) -> Value:
    start = call.get("start", 1)
    first = start.value if isinstance(start, Known) else 0 if start is None else None
    source = call.get("iterable", 0)
    if call.rest is not None or not isinstance(first, int) or source is None:
        return _not_known("enumerate", call.given(), "iterator")

    def counted(value: Value) -> Value:
        items, more = items_of(it, value, call)
        pairs = [Items((Known(first + at), one), "tuple") for at, one in enumerate(items)]
        return Items(pairs, "iterator", _pair(more, value))

    return it.each(source, counted)


def _pair(more: Value | None, source: Value) -> Value | None:
    return (
        None
        if more is None
        else Items((Opaque("a count", package="builtins"), Opaque("an item of enumerate", source, "builtins", more.origins)), "tuple")
    )


def _zip(it: Interpreter, call: Call) -> Value:
    strict = call.keywords.get("strict", FALSE)
    if call.rest is not None or any(isinstance(one, Choice) for one in call.positional) or truth(strict) is None:
        return _not_known("zip", call.given(), "iterator")
    every = [items_of(it, one, call) for one in call.positional]
    shortest = min((len(items) for items, _ in every), default=0)
    made = [Items([items[at] for items, _ in every], "tuple") for at in range(shortest)]
    if all(more is None for _, more in every):
        if truth(strict) and any(len(items) > shortest for items, _ in every):
            raise Dead
        return Items(made, "iterator")
    if any(more is None and len(items) == shortest for items, more in every):
        return Items(made, "iterator")
    return Items(made, "iterator", unknown("zip", [more for _, more in every if more is not None]))


def ordered(it: Interpreter, value: Value, call: Call, what: str) -> list[Value] | None:
    """The items sorted as ``key`` and ``reverse`` of the call say; None where that is not known."""
    reverse = truth(call.keywords.get("reverse", FALSE))
    items, more = bag_of(it, value, call)
    keys = None if more is not None else sort_keys(it, items, call.keywords.get("key", NONE), call)
    if keys is None or reverse is None:
        return None
    if _is_set(value) and not _told_apart(keys):
        return None  # those that are equal stay in an order that is not known
    try:
        return [items[at] for at in sorted(range(len(items)), key=lambda at: keys[at], reverse=reverse)]  # type: ignore[arg-type, return-value]
    except REFUSED:
        raise Dead from None


def sort_keys(it: Interpreter, items: Sequence[Value], key: Value, call: Call) -> list[object] | None:
    """What items are compared by; None where one is not known."""
    own = isinstance(key, Known) and key.value is None
    found = [one if own else it.call(key, Call((one,), {}, None, call.node, call.frame)) for one in items]
    try:
        return [plain(one, paths=True) for one in found]
    except NotPlain:
        return None


def _sorted(it: Interpreter, call: Call) -> Value:
    if call.rest is not None or len(call.positional) != 1:
        return _not_known("sorted", call.given())

    def made(value: Value) -> Value:
        found = ordered(it, value, call, "sorted")
        return _not_known("sorted", [value]) if found is None else Items(found, "list", None, value.origins)

    return it.each(call.positional[0], made)


def _extreme(what: str, pick: Callable[..., int]) -> Handler:
    """``min`` and ``max``: the first of the best."""

    def of(it: Interpreter, items: list[Value], more: Value | None, call: Call, sources: Sequence[Value]) -> Value:
        if more is None and not items:
            if "default" in call.keywords:
                return call.keywords["default"]
            raise Dead
        keys = None if more is not None else sort_keys(it, items, call.keywords.get("key", NONE), call)
        if keys is None or (_is_set(sources[0]) and len(sources) == 1 and not _told_apart(keys)):
            return unknown(what, [*items, *sources])
        try:
            return items[pick(range(len(items)), key=lambda at: keys[at])]
        except REFUSED:
            raise Dead from None

    def handler(it: Interpreter, call: Call) -> Value:
        if call.rest is not None or not call.positional:
            return unknown(what, call.given())
        if len(call.positional) > 1:
            return spread(it, call.positional, lambda values: of(it, values, None, call, values), what)
        return it.each(call.positional[0], lambda one: of(it, *bag_of(it, one, call), call, [one]))

    return handler


def _is_set(value: Value) -> bool:
    return isinstance(value, Items) and value.kind in ("set", "frozenset")


def _told_apart(keys: Sequence[object]) -> bool:
    """Keys of which no two are equal, and any two have an order."""
    texts, numbers = all(isinstance(one, str) for one in keys), all(isinstance(one, int | float) and one == one for one in keys)
    return (texts or numbers) and len(set(keys)) == len(keys)


def _sum(it: Interpreter, call: Call) -> Value:
    start = call.get("start", 1)
    if call.rest is not None or not call.positional:
        return unknown("sum", call.given())

    def added(value: Value) -> Value:
        items, more = bag_of(it, value, call)
        if more is not None:
            return unknown("sum", [more, value])
        return computed(
            it, "sum", _total, call._replace(positional=(Items([start or Known(0), *items], "tuple"),), keywords={}), small=_one_answer
        )

    return it.each(call.positional[0], added)


def _total(numbers: tuple[object, ...]) -> object:
    return sum(numbers[1:], numbers[0])  # type: ignore[call-overload]


def _one_answer(numbers: tuple[object, ...]) -> bool:
    """Numbers whose sum is the same in any order and in any version: from Python 3.12 on, floats are added more exactly."""
    if not all(isinstance(one, int | float) for one in numbers):
        return any(isinstance(one, str) for one in numbers)  # which Python refuses
    total = numbers[0]
    for one in numbers[1:]:
        total += one  # type: ignore[operator]
    return isinstance(total, int) or not math.isfinite(total) or (total == math.fsum(numbers) == sum(reversed(numbers)))  # type: ignore[arg-type, operator]


def _quantified(what: str, wanted: bool) -> Handler:
    """``any`` (``wanted`` True) and ``all``."""

    def of(it: Interpreter, value: Value, call: Call) -> Value:
        if isinstance(value, Items) and any(truth(one) is wanted and not perhaps_absent(one) for one in value.items):
            if value.kind == "iterator":
                it.heap.write(value, None, Items((), "iterator", unknown(what, [value])))
            return TRUE if wanted else FALSE
        items, more = bag_of(it, value, call)
        found = [truth(one) for one in items]
        if wanted in found:
            return TRUE if wanted else FALSE
        if more is not None or None in found:
            return unknown(what, [one for one, known in zip(items, found, strict=True) if known is None] or [value])
        return FALSE if wanted else TRUE

    def handler(it: Interpreter, call: Call) -> Value:
        if call.rest is not None or len(call.positional) != 1:
            return unknown(what, call.given())
        return it.each(call.positional[0], lambda one: of(it, one, call))

    return handler


FUNCTIONS: dict[str, Handler] = {
    "list": _container("list"), "tuple": _container("tuple"), "set": _container("set"), "frozenset": _container("frozenset"),
    "reversed": _reversed, "range": _range, "enumerate": _enumerate, "zip": _zip, "sorted": _sorted,
    "min": _extreme("min", min), "max": _extreme("max", max), "sum": _sum, "any": _quantified("any", True), "all": _quantified("all", False),
    "math.fsum": exact("math.fsum", math.fsum, package="math"), "math.prod": exact("math.prod", math.prod, lambda *given: len(str(given)) < 4_000, package="math"),
}  # fmt: skip
