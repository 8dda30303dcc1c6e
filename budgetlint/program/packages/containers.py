"""Methods of ``list`` and ``tuple``. Where a change hits is not known, the whole is a list of what is not known."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from budgetlint.program.calling import Call
from budgetlint.program.choices import alternatives
from budgetlint.program.ends import Dead
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.packages.ordering import ordered
from budgetlint.program.packages.plain import MOST_PARTS, Method, origins_in, taken, unknown
from budgetlint.program.packages.sequences import items_of
from budgetlint.program.state import Interpreter
from budgetlint.program.truth import compared
from budgetlint.program.values import NONE, Items, Known, Opaque, Value


def closed(value: Value) -> bool:
    """A list of which all items are known to be there, and no others."""
    return isinstance(value, Items) and value.more is None and not any(map(perhaps_absent, value.items))


def put(it: Interpreter, target: Items, items: Sequence[Value], more: Value | None = None) -> Value:
    """The list has these items from here on."""
    if len(items) > MOST_PARTS:
        items, more = items[:MOST_PARTS], Opaque("a list of more items than are followed", Items(items[MOST_PARTS:]), "builtins")
    it.heap.write(target, None, Items(items, target.kind, more))
    return NONE


def lose(it: Interpreter, target: Items, why: str, *given: Value) -> Value:
    """Nobody knows from here on what the list has; what it had, and what it was given, may be in it."""
    kept = Items((*target.items, *given, *([target.more] if target.more is not None else [])), "tuple")
    it.heap.write(target, None, Items((), target.kind, Opaque(why, kept, "builtins", origins_in([kept]))))
    return NONE


def only(call: Call) -> Value | None:
    return call.positional[0] if len(call.positional) == 1 and not call.keywords and call.rest is None else None


def _append(it: Interpreter, base: Value, call: Call) -> Value:
    value = only(call)
    assert isinstance(base, Items)
    if value is None:
        return lose(it, base, "append", *call.given())
    return put(it, base, (*base.items, value)) if closed(base) else _behind(it, base, [value])


def _behind(it: Interpreter, base: Items, added: Sequence[Value]) -> Value:
    """Behind items of which nobody knows how many they are."""
    at = next((at for at, one in enumerate(base.items) if perhaps_absent(one)), len(base.items))
    kept = Items((*base.items[at:], *added, *([base.more] if base.more is not None else [])), "tuple")
    return put(it, base, base.items[:at], Opaque("an item behind those that are known", kept, "builtins", origins_in([kept])))


def _extend(it: Interpreter, base: Value, call: Call) -> Value:
    value = only(call)
    assert isinstance(base, Items)
    if value is None or len(alternatives(value)) > 1:
        return lose(it, base, "extend", *call.given())
    items, more = items_of(it, value, call)
    if not closed(base):
        return _behind(it, base, [*items, *([more] if more is not None else [])])
    return put(it, base, (*base.items, *items), more)


def _insert(it: Interpreter, base: Value, call: Call) -> Value:
    at, value = call.get("", 0), call.get("", 1)
    assert isinstance(base, Items)
    if not closed(base) or call.rest is not None or value is None or not isinstance(at, Known) or not isinstance(at.value, int):
        return lose(it, base, "insert", *call.given())
    items = list(base.items)
    items.insert(at.value, value)
    return put(it, base, items)


def pop(it: Interpreter, base: Value, call: Call) -> Value:
    assert isinstance(base, Items)
    at = call.positional[0] if call.positional else Known(-1)
    number = at.value if isinstance(at, Known) and isinstance(at.value, int) and call.rest is None else None
    if number is not None and closed(base):
        if not -len(base.items) <= number < len(base.items):
            raise Dead
        items = list(base.items)
        gone = items.pop(number)
        put(it, base, items)
        return gone
    if number == 0 and base.items and not perhaps_absent(base.items[0]):
        first, *others = base.items
        put(it, base, others, base.more)
        return first
    it.may_fail()
    gone = taken("an item that is not known", [*base.items[:8], *([base.more] if base.more is not None else [])])
    lose(it, base, "pop", *base.items)
    return gone


def _where(base: Items, value: Value) -> int | None:
    """The place of the first equal item; None where that is not certain, -1 for none."""
    for at, one in enumerate(base.items):
        known = same_item(one, value)
        if known is not False:
            return None if known is None or perhaps_absent(one) else at
    return -1 if base.more is None else None


def same_item(one: Value, other: Value) -> bool | None:
    """Whether Python finds one by the other: the same object, or an equal one. Of two that are nan nobody knows whether they are one."""
    if one is other:
        return True
    if isinstance(one, Known) and isinstance(other, Known) and one.value != one.value and other.value != other.value:
        return None
    return compared(ast.Eq(), one, other)


def _remove(it: Interpreter, base: Value, call: Call) -> Value:
    value = only(call)
    assert isinstance(base, Items)
    at = None if value is None else _where(base, value)
    if at is None:
        it.may_fail()
        return lose(it, base, "remove")
    if at < 0:
        raise Dead
    return put(it, base, (*base.items[:at], *base.items[at + 1 :]), base.more)


def _index(it: Interpreter, base: Value, call: Call) -> Value:
    value = only(call)
    assert isinstance(base, Items)
    at = None if value is None else _where(base, value)
    if at is None:
        it.may_fail()
        return unknown("index", [base, *call.given()])
    if at < 0:
        raise Dead
    return Known(at, base.origins)


def _count(it: Interpreter, base: Value, call: Call) -> Value:
    value = only(call)
    assert isinstance(base, Items)
    if value is None or not closed(base):
        return unknown("count", [base, *call.given()])
    found = [same_item(one, value) for one in base.items]
    return unknown("count", [base, value]) if None in found else Known(found.count(True), base.origins)


def clear(it: Interpreter, base: Value, call: Call) -> Value:
    assert isinstance(base, Items)
    return put(it, base, ())


def copy(it: Interpreter, base: Value, call: Call) -> Value:
    assert isinstance(base, Items)
    return Items(base.items, base.kind, base.more, base.origins)


def _sort(it: Interpreter, base: Value, call: Call) -> Value:
    assert isinstance(base, Items)
    found = ordered(it, base, call, "sort") if call.rest is None else None
    if found is None:
        it.may_fail()
    return lose(it, base, "sort") if found is None else put(it, base, found)


def _reverse(it: Interpreter, base: Value, call: Call) -> Value:
    assert isinstance(base, Items)
    return put(it, base, base.items[::-1]) if closed(base) else lose(it, base, "reverse")


_LIST: dict[str, Method] = {
    "append": _append, "extend": _extend, "insert": _insert, "pop": pop, "remove": _remove, "index": _index, "count": _count,
    "clear": clear, "copy": copy, "sort": _sort, "reverse": _reverse,
}  # fmt: skip
METHODS: dict[str, Method] = {
    **{f"list.{name}": method for name, method in _LIST.items()},
    **{f"{kind}.{name}": _LIST[name] for kind in ("tuple", "range") for name in ("index", "count")},
}  # fmt: skip
