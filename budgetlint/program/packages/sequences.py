"""Python's own functions of what can be gone over: ``list``, ``range``, ``zip`` …"""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.program.calling import Call
from budgetlint.program.choices import origins_of
from budgetlint.program.ends import Dead
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.iterate import iterated
from budgetlint.program.objects import Class, Function, Handler
from budgetlint.program.packages.iterators import forget, is_iterator, lazy, not_gone_over
from budgetlint.program.packages.plain import NotPlain, origins_in, plain, spread, taken
from budgetlint.program.state import UNROLLED, Interpreter
from budgetlint.program.truth import truth
from budgetlint.program.values import FALSE, Choice, Items, Known, Map, Opaque, Value

MOST_OF_A_RANGE = UNROLLED * 4
_MOST_END = 2**40
Gone = tuple[list[Value], Value | None]
"""Items in order, and why there may be more after them; None where these are all."""


def items_of(it: Interpreter, value: Value, call: Call) -> Gone:
    """What going over a value gives, in order. The items of a set, and what follows on an item that is perhaps there, are in `more`."""
    if isinstance(value, Known) and isinstance(value.value, bytes):
        return (
            ([Known(one, value.origins) for one in value.value], None)
            if len(value.value) <= MOST_OF_A_RANGE
            else ([], taken("bytes", [value]))
        )
    if isinstance(value, Known) and not isinstance(value.value, str):
        raise Dead
    items, more = iterated(it, value, call.node, call.frame)
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
            return taken(kind, call.given())
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
        return not_gone_over("reversed", call.given())

    def turned(value: Value) -> Value:
        if is_iterator(value) or (isinstance(value, Items) and value.kind in ("set", "frozenset")):
            raise Dead

        def compute(it: Interpreter, again: Call) -> Items:
            items, more = items_of(it, value, again)
            return Items(items[::-1]) if more is None else not_known("reversed", [value])

        return lazy(compute, [value])

    return it.each(call.positional[0], turned)


def not_known(what: str, values: Sequence[Value], kind: str = "list") -> Items:
    return Items((), kind, taken(what, values), origins_of(values))


def _range(it: Interpreter, call: Call) -> Value:
    def made(values: list[Value]) -> Value:
        ends = [one.value for one in values if isinstance(one, Known) and isinstance(one.value, int)]
        if any(isinstance(one, Items | Map) or (isinstance(one, Known) and not isinstance(one.value, int)) for one in values):
            raise Dead
        if len(ends) < len(values) or any(abs(one) > _MOST_END for one in ends):
            return not_known("range", values, "range")
        try:
            found = range(*ends)
        except (TypeError, ValueError):
            raise Dead from None
        if len(found) > MOST_OF_A_RANGE:
            return Items((), "range", Opaque(f"a number of {found}", None, "builtins", origins_in(values)))
        return Items([Known(one, origins_in(values)) for one in found], "range")

    if call.rest is not None or call.keywords or not call.positional:
        return not_known("range", call.given(), "range")
    return spread(it, call.positional, made, "range")


def _enumerate(it: Interpreter, call: Call) -> Value:
    start = call.get("start", 1)
    first = start.value if isinstance(start, Known) else 0 if start is None else None
    source = call.get("iterable", 0)
    if call.rest is not None or not isinstance(first, int) or source is None:
        return not_gone_over("enumerate", call.given())

    def counted(value: Value) -> Value:
        def compute(it: Interpreter, again: Call) -> Items:
            items, more = items_of(it, value, again)
            return Items([Items((Known(first + at), one), "tuple") for at, one in enumerate(items)], "list", _pair(more, value))

        return lazy(compute, [value])

    return it.each(source, counted)


def _pair(more: Value | None, source: Value) -> Value | None:
    if more is None:
        return None
    return Items((Opaque("a count", package="builtins"), Opaque("an item of enumerate", source, "builtins", more.origins)), "tuple")


def _zip(it: Interpreter, call: Call) -> Value:
    strict = truth(call.keywords.get("strict", FALSE))
    if call.rest is not None or any(isinstance(one, Choice) for one in call.positional) or strict is None:
        return not_gone_over("zip", call.given())
    return lazy(lambda it, again: _zipped(it, call.positional, again, strict), call.positional)


def together(it: Interpreter, sources: Sequence[Value], call: Call) -> list[Gone]:
    """Several gone over side by side. An iterator among them is not gone over to its end: of how far, nothing is said."""
    if len(sources) > 1 and any(map(is_iterator, sources)):
        for one in sources:
            forget(it, one, "zip")
        return [([], taken("zip", sources)) for _ in sources]
    return [items_of(it, one, call) for one in sources]


def _zipped(it: Interpreter, sources: Sequence[Value], call: Call, strict: bool) -> Items:
    every = together(it, sources, call)
    shortest = min((len(items) for items, _ in every), default=0)
    made = [Items([items[at] for items, _ in every], "tuple") for at in range(shortest)]
    whole = all(more is None for _, more in every)
    if whole and strict and any(len(items) > shortest for items, _ in every):
        raise Dead
    if whole or any(more is None and len(items) == shortest for items, more in every):
        return Items(made)
    return Items(made, "list", taken("zip", [more for _, more in every if more is not None]))


FUNCTIONS: dict[str, Handler] = {
    "list": _container("list"), "tuple": _container("tuple"), "set": _container("set"), "frozenset": _container("frozenset"),
    "reversed": _reversed, "range": _range, "enumerate": _enumerate, "zip": _zip,
}  # fmt: skip
