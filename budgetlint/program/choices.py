"""Several values as one: when two are the same for certain, what a choice comes to, where its values came from."""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.program.objects import Class, Function
from budgetlint.program.places import Origin
from budgetlint.program.values import ABSENT, Absent, Choice, Ending, External, Items, Key, Known, Opaque, Open, Value, Way

MOST_WAYS = 8
"""More values than this are no choice that anybody would read: 98 of 100 choices of 67 programs in 26 repositories have 6 or fewer."""
_MOST_ORIGINS = 6
_DEEPEST = 4
"""Tuples within tuples that are looked into."""


def same(one: Value, other: Value, depth: int = 0) -> bool:
    """Equal for certain: nobody could tell one from the other, by identity or by content. Tuples in tuples in tuples are told apart."""
    if one is other:
        return True
    if one.__class__ is not other.__class__:
        return False
    if depth >= _DEEPEST:
        return False
    match one, other:
        case Known(), Known():
            return type(one.value) is type(other.value) and one.value == other.value
        case External(), External():
            return one.name == other.name
        case Open(), Open():
            return (one.kind, one.name) == (other.kind, other.name)
        case Ending(), Ending():
            return one.why == other.why and one.of is other.of and one.end == other.end
        case Opaque(), Opaque():
            return one.why == other.why and one.of is other.of
        case Items(), Items() if one.kind == "tuple" == other.kind:
            pairs = zip(one.items, other.items, strict=False)
            return len(one.items) == len(other.items) and one.more is other.more and all(same(*pair, depth + 1) for pair in pairs)
        case Function(), Function():
            parts = (getattr(one, name) is getattr(other, name) for name in ("node", "names", "bound", "defaults", "memory"))
            return all(parts)
    return False


def alternatives(value: Value) -> tuple[Way, ...]:
    """The ways of a choice; a value that is none is its only way."""
    return value.ways if isinstance(value, Choice) else (Way("", value),)


def choice(ways: Iterable[Way]) -> Value:
    """One value of several ways: flat, none twice. Too many are opaque; there is at least one way."""
    kept: list[Way] = []
    ways = list(ways)
    if len(ways) == 2:
        (one, other) = ways
        if same(one.value, other.value):
            return one.value
        if not (isinstance(one.value, Choice) or isinstance(other.value, Choice)):
            return Choice(ways)
    elif len(ways) > 1 and all(way.value is ways[0].value for way in ways):
        return ways[0].value
    for way in ways:
        for inner in alternatives(way.value):
            if not any(same(inner.value, one.value) for one in kept):
                kept.append(Way(both(way.when, inner.when), inner.value))
            if len(kept) > MOST_WAYS:
                return Opaque(f"one of more than {MOST_WAYS} values", origins=origins_of(one.value for one in kept))
    return kept[0].value if len(kept) == 1 else Choice(kept)


def both(one: str, other: str) -> str:
    """Two conditions as one."""
    return f"{one} and {other}" if one and other else one or other


def origins_of(values: Iterable[Value]) -> tuple[Origin, ...]:
    """Where several values came from, in order, none twice, the first few."""
    return tuple(dict.fromkeys(origin for value in values for origin in value.origins))[:_MOST_ORIGINS]


def key_of(value: Value, depth: int = 0) -> Key | Absent:
    """What a mapping is asked by; ABSENT where the value is no key that is known."""
    if depth >= _DEEPEST:
        return ABSENT
    if isinstance(value, Known):
        return value.value if value.value is not ... and not isinstance(value.value, complex) else ABSENT
    if isinstance(value, Items) and value.kind == "tuple" and value.more is None:
        keys = tuple(key_of(one, depth + 1) for one in value.items)
        return ABSENT if any(one is ABSENT for one in keys) else keys
    return value if isinstance(value, Class | Function | External) else ABSENT
