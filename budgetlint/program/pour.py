"""``{**value}``, ``f(**value)``, ``update(value)``: one mapping into another."""

from __future__ import annotations

from budgetlint.program.choices import alternatives, choice, origins_of
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.state import Interpreter
from budgetlint.program.values import ABSENT, Choice, Known, Map, Opaque, Value, Way


def pour(it: Interpreter, value: Value, into: Map) -> None:
    """Sets all that ``value`` has. What is not known of it may be any key, those that are there already included."""
    ways = alternatives(value)
    maps = [(way.when, way.value) for way in ways if isinstance(way.value, Map)]
    nothing = [way.when for way in ways if way.value is ABSENT or (isinstance(way.value, Known) and way.value.value is None)]
    if len(maps) + len(nothing) < len(ways):
        _unknown(it, into, Opaque(f"{value!r} may hold more"[:100], origins=origins_of([value])))
    for key in dict.fromkeys(key for _, one in maps for key in one.items):
        old = into.items.get(key, ABSENT)
        found = [Way(when, _of(it, one, key, old)) for when, one in maps]
        if isinstance(value, Choice) and len(maps) < len(ways):
            found.append(Way("", old))
        it.heap.write(into, key, choice(found))
    if isinstance(value, Map) and not any(it.conditions):
        # a key that is missing then, the file could have had
        into.origins += tuple(one for one in value.origins if one.kind == "config" and one not in into.origins)
    for _, one in maps:
        if one.rest is not None:
            _unknown(it, into, one.rest, but=one)


def _of(it: Interpreter, one: Map, key: object, old: Value) -> Value:
    found = it.parts.node(it, one, key)  # type: ignore[arg-type]
    if not perhaps_absent(one.items.get(key, ABSENT)):  # type: ignore[call-overload]
        return found
    return choice([*(way for way in alternatives(found) if way.value is not ABSENT), Way("", old)])


def _unknown(it: Interpreter, into: Map, rest: Value, but: Map | None = None) -> None:
    """Any other key may have been set."""
    for key, old in list(into.items.items()):
        if but is None or key not in but.items:
            it.heap.write(into, key, choice([Way("", old), Way("", rest)]))
    it.heap.write(into, None, rest, "rest")
