"""What is asked of all items at once: ``sorted``, ``min``, ``max``, ``sum``, ``any``, ``all``."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

from budgetlint.program.calling import Call
from budgetlint.program.ends import Dead
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.objects import Handler
from budgetlint.program.packages.iterators import forget
from budgetlint.program.packages.plain import REFUSED, NotPlain, computed, plain, spread, taken, unknown
from budgetlint.program.packages.sequences import bag_of, not_known
from budgetlint.program.state import Interpreter
from budgetlint.program.truth import truth
from budgetlint.program.values import FALSE, NONE, TRUE, Items, Known, Value


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
        order = sorted(range(len(items)), key=lambda at: keys[at], reverse=reverse)  # type: ignore[arg-type, return-value]
        return [items[at] for at in order]
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
        return not_known("sorted", call.given())

    def made(value: Value) -> Value:
        found = ordered(it, value, call, "sorted")
        return not_known("sorted", [value]) if found is None else Items(found, "list", None, value.origins)

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
            return taken(what, [*items, *sources])
        try:
            return items[pick(range(len(items)), key=lambda at: keys[at])]
        except REFUSED:
            raise Dead from None

    def handler(it: Interpreter, call: Call) -> Value:
        if call.rest is not None or not call.positional:
            return taken(what, call.given())
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
    real = [one for one in numbers if isinstance(one, int | float)]
    if len(real) < len(numbers):
        return any(isinstance(one, str) for one in numbers)  # which Python refuses
    total = functools.reduce(lambda one, other: one + other, real)
    return isinstance(total, int) or not math.isfinite(total) or total == math.fsum(real) == sum(reversed(real))


def _quantified(what: str, wanted: bool) -> Handler:
    """``any`` (``wanted`` True) and ``all``."""

    def of(it: Interpreter, value: Value, call: Call) -> Value:
        if isinstance(value, Items) and any(truth(one) is wanted and not perhaps_absent(one) for one in value.items):
            return TRUE if wanted else FALSE
        items, more = bag_of(it, value, call)
        found = [truth(one) for one in items]
        if wanted in found or None in found:
            forget(it, value, what)
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
    "sorted": _sorted, "min": _extreme("min", min), "max": _extreme("max", max), "sum": _sum, "any": _quantified("any", True),
    "all": _quantified("all", False),
}  # fmt: skip
