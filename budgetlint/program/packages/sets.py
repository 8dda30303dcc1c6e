"""Methods of ``set`` and ``frozenset``. The order of a set is not known, and nothing of it where nobody knows which members are equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from budgetlint.program.calling import Call
from budgetlint.program.choices import alternatives
from budgetlint.program.ends import Dead
from budgetlint.program.packages.containers import clear, copy, lose, only, pop, put, same_item
from budgetlint.program.packages.plain import Method, taken, unknown
from budgetlint.program.packages.sequences import bag_of, distinct, set_of
from budgetlint.program.state import Interpreter
from budgetlint.program.values import ABSENT, Items, Known, Value


def _members(it: Interpreter, values: Sequence[Value], call: Call) -> list[list[Value]] | None:
    """The members of several sets; None where one is not known."""
    found: list[list[Value]] = []
    for value in values:
        if len(alternatives(value)) > 1:
            return None
        items, more = bag_of(it, value, call)
        members = None if more is not None else distinct(items)
        if members is None or distinct([*members, *members]) is None:
            return None
        found.append(members)
    return found


def _without(one: list[Value], other: list[Value]) -> list[Value] | None:
    """Those of the first that are not in the second; None where nobody knows which are equal."""
    found = [(value, _holds(other, value)) for value in one]
    return None if any(held is None for _, held in found) else [value for value, held in found if not held]


def _holds(values: list[Value], one: Value) -> bool | None:
    found = [same_item(one, other) for other in values]
    return True if True in found else None if None in found else False


def _united(first: list[Value], other: list[Value]) -> list[Value] | None:
    added = _without(other, first)
    return None if added is None else [*first, *added]


def _shared(first: list[Value], other: list[Value]) -> list[Value] | None:
    alone = _without(first, other)
    return None if alone is None else [one for one in first if not any(one is gone for gone in alone)]


def _parted(first: list[Value], other: list[Value]) -> list[Value] | None:
    mine, others = _without(first, other), _without(other, first)
    return None if mine is None or others is None else [*mine, *others]


_Combined = Callable[[list[Value], list[Value]], list[Value] | None]


def _combined(name: str, combine: _Combined, *, in_place: bool = False) -> Method:
    """A set of two or more; ``in_place`` for ``update`` and the like."""

    def method(it: Interpreter, base: Value, call: Call) -> Value:
        assert isinstance(base, Items)
        every = _members(it, [base, *call.positional], call) if call.rest is None and not call.keywords else None
        made: list[Value] | None = every[0] if every else None
        for one in every[1:] if every else ():
            made = combine(made, one) if made is not None else None
        if in_place:
            return lose(it, base, name, *call.given()) if made is None else put(it, base, made)
        if made is None:
            return Items((), base.kind, taken(f"set.{name}", [base, *call.given()]))
        return Items(made, base.kind, None, base.origins)

    return method


def _asked(name: str, answer: Callable[[list[Value], list[Value]], list[Value] | None]) -> Method:
    """A question that is true where nothing is left over."""

    def method(it: Interpreter, base: Value, call: Call) -> Value:
        every = _members(it, [base, *call.positional], call) if only(call) is not None else None
        left = answer(every[0], every[1]) if every else None
        return unknown(f"set.{name}", [base, *call.given()]) if left is None else Known(not left, base.origins)

    return method


def _add(it: Interpreter, base: Value, call: Call) -> Value:
    value = only(call)
    assert isinstance(base, Items)
    members = _members(it, [base], call) if value is not None and value is not ABSENT else None
    made = set_of([*members[0], value], None, base.kind, base) if members and value is not None else None
    return lose(it, base, "add", *call.given()) if made is None or made.more is not None else put(it, base, made.items)


def _discard(name: str) -> Method:
    def method(it: Interpreter, base: Value, call: Call) -> Value:
        value = only(call)
        assert isinstance(base, Items)
        members = _members(it, [base], call)
        left = _without(members[0], [value]) if members and value is not None else None
        if left is None or not members:
            if name == "remove":
                it.may_fail()
            return lose(it, base, name)
        if name == "remove" and len(left) == len(members[0]):
            raise Dead
        return put(it, base, left)

    return method


def _pop_any(it: Interpreter, base: Value, call: Call) -> Value:
    assert isinstance(base, Items)
    if base.more is None and len(base.items) <= 1:
        return pop(it, base, call._replace(positional=()))
    it.may_fail()
    gone = taken("a member of a set", [base])
    lose(it, base, "pop")
    return gone


_SET: dict[str, Method] = {
    "union": _combined("union", _united), "intersection": _combined("intersection", _shared),
    "difference": _combined("difference", _without),
    "symmetric_difference": _combined("symmetric_difference", _parted), "copy": copy,
    "issubset": _asked("issubset", _without), "issuperset": _asked("issuperset", lambda one, other: _without(other, one)),
    "isdisjoint": _asked("isdisjoint", _shared),
}  # fmt: skip
METHODS: dict[str, Method] = {
    **{f"{kind}.{name}": method for kind in ("set", "frozenset") for name, method in _SET.items()},
    "set.add": _add, "set.discard": _discard("discard"), "set.remove": _discard("remove"), "set.clear": clear, "set.pop": _pop_any,
    "set.update": _combined("update", _united, in_place=True),
    "set.difference_update": _combined("difference_update", _without, in_place=True),
    "set.intersection_update": _combined("intersection_update", _shared, in_place=True),
    "set.symmetric_difference_update": _combined("symmetric_difference_update", _parted, in_place=True),
}  # fmt: skip
