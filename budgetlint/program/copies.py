"""What can be come to from a value, and copies of it as it is now."""

from __future__ import annotations

from budgetlint.program.objects import Function, Object
from budgetlint.program.values import Choice, External, Items, Known, Map, Opaque, Value, Way

_MOST_KEPT, _DEEPEST_KEPT = 2_000, 25


def reachable(value: Value, most: int = 400) -> list[Value]:
    """Objects, dicts and lists that can be come to from here, none twice."""
    found: dict[int, Value] = {}
    waiting = [value]
    while waiting and len(found) < most:
        one = waiting.pop()
        if id(one) in found:
            continue
        found[id(one)] = one
        waiting += parts_of(one)
    return list(found.values())


def parts_of(value: Value) -> list[Value]:
    """What a value directly holds."""
    if isinstance(value, Choice):
        return [way.value for way in value.ways]
    if isinstance(value, Items):
        return list(value.items)
    if isinstance(value, Map):
        return list(value.items.values())
    if isinstance(value, Object):
        return list(value.attributes.values())
    if isinstance(value, Function):
        return [value.bound] if value.bound is not None else []
    return [value.of] if isinstance(value, Opaque) and value.of is not None else []


def frozen(value: Value, kept: dict[int, Value] | None = None, depth: int = 0) -> Value:
    """A copy of what can change, as it is now. ``kept``: what was copied already, by identity.

    What is deeper in something than anybody reads is left out.
    """
    kept = {} if kept is None else kept
    if not isinstance(value, Choice | Items | Map | Object):
        return value
    if id(value) in kept:
        return kept[id(value)]
    if len(kept) > _MOST_KEPT or depth > _DEEPEST_KEPT:
        return Opaque("nested too deep, or too much, to be told", origins=value.origins)
    if isinstance(value, Choice):
        return Choice([Way(way.when, frozen(way.value, kept, depth + 1)) for way in value.ways])
    if isinstance(value, Items):
        if all(isinstance(one, Known | External) for one in value.items):
            made = Items(value.items, value.kind, value.more, value.origins)
            kept[id(value)] = made
            return made
        made = Items((), value.kind, value.more, value.origins)
        kept[id(value)] = made
        made.items = tuple(frozen(one, kept, depth + 1) for one in value.items)
        return made
    return _frozen_table(value, kept, depth)


def _frozen_table(value: Map | Object, kept: dict[int, Value], depth: int) -> Value:
    made: Map | Object
    if isinstance(value, Map):
        made = Map(None, value.rest, value.origins)
        made.loader, made.path = value.loader, value.path
        kept[id(value)] = made
        made.items = {key: frozen(one, kept, depth + 1) for key, one in value.items.items()}
        return made
    made = Object(value.kind, value.cls, value.origins)
    made.made, made.data, made.rest, made.given = value.made, value.data, value.rest, value.given
    kept[id(value)] = made
    made.attributes = {key: frozen(one, kept, depth + 1) for key, one in value.attributes.items()}
    return made
