"""Python's own values for abstract ones that are known throughout, and back: what is certain is worked out by Python itself.

Sizes are bounded before anything is worked out: the text of a program comes from anybody.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from budgetlint.program.calling import Call
from budgetlint.program.choices import alternatives, origins_of
from budgetlint.program.ends import Dead
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.objects import Handler, Object
from budgetlint.program.packages.roots import MARK
from budgetlint.program.places import Origin
from budgetlint.program.state import Interpreter
from budgetlint.program.values import Choice, Items, Known, Map, Opaque, Open, Value

Method = Callable[[Interpreter, Value, Call], Value]
Property = Callable[[Interpreter, Value], Value]

LONGEST = 100_000
"""Characters of a text; a longer one is data."""
MOST_PARTS, _DEEPEST, MOST_BITS = 2_000, 30, 4_096
_MOST_COMBINED = 64
"""Combinations of ways: a function of two choices of eight values."""
REFUSED = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError)
"""What Python's own functions raise where a program is wrong."""


class NotPlain(Exception):
    """Some part of a value is not known, or too large."""


def plain(value: Value, *, paths: bool = False, marks: bool = False) -> object:
    """The value as Python has it. Raises NotPlain.

    ``paths``: `pathlib` paths too, as the class without a file system; ``marks``: texts of `roots` too.
    """
    left = [MOST_PARTS]
    return _plain(value, 0, left, paths, marks)


def _plain(value: Value, depth: int, left: list[int], paths: bool, marks: bool) -> object:
    left[0] -= 1
    if depth > _DEEPEST or left[0] < 0:
        raise NotPlain
    if isinstance(value, Known):
        return _scalar(value, paths, marks)
    if isinstance(value, Items) and value.more is None and type(value) is Items:
        make = _MADE.get(value.kind)
        if make is not None:
            return _collected(make, [_plain(one, depth + 1, left, paths, marks) for one in value.items])
    if isinstance(value, Map) and value.rest is None and value.root is None and value.loader != "omegaconf":
        return {_key(key): _plain(one, depth + 1, left, paths, marks) for key, one in value.items.items()}
    raise NotPlain


_MADE: dict[str, Callable[[list[object]], object]] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


def _collected(make: Callable[[list[object]], object], found: list[object]) -> object:
    try:
        return make(found)
    except TypeError:  # an item of a set that cannot be one
        raise NotPlain from None


def _scalar(value: Known, paths: bool, marks: bool) -> object:
    one = value.value
    if isinstance(one, PurePosixPath):
        if not paths or (not marks and MARK in str(one)):
            raise NotPlain
    elif isinstance(one, str | bytes):
        if len(one) > LONGEST or (not marks and isinstance(one, str) and MARK in one):
            raise NotPlain
    elif isinstance(one, int) and one.bit_length() > MOST_BITS:
        raise NotPlain
    return one


def _key(key: object) -> object:
    if isinstance(key, Value | PurePosixPath) or (isinstance(key, tuple) and any(isinstance(one, Value) for one in key)):
        raise NotPlain
    return key


def value_of(found: object, origins: tuple[Origin, ...] = ()) -> Value:
    """The abstract value of what Python made of scalars, in containers of its own."""
    if isinstance(found, list | tuple | set | frozenset):
        if type(found).__name__ not in _MADE or len(found) > MOST_PARTS:
            return Opaque(f"a {type(found).__name__}", origins=origins)
        return Items([value_of(one, origins) for one in found], type(found).__name__, None, origins)
    if type(found) is dict:
        return Map({key: value_of(one, origins) for key, one in found.items()}, None, origins)
    if found is None or type(found) in (str, bytes, int, float, complex, bool) or isinstance(found, PurePosixPath):
        return Known(found, origins)  # type: ignore[arg-type]
    return Opaque(f"a {type(found).__name__}", origins=origins)


def origins_in(values: Sequence[Value]) -> tuple[Origin, ...]:
    """Where values come from, those in containers included, one level deep."""
    parts = [inner for one in values for inner in (one, *_held(one))]
    return origins_of(part for whole in parts for part in (whole, *(way.value for way in alternatives(whole) if isinstance(whole, Choice))))


def _held(value: Value) -> Sequence[Value]:
    if isinstance(value, Items):
        return (*value.items[:8], *((value.more,) if value.more is not None else ()))
    return list(value.items.values())[:8] if isinstance(value, Map) else ()


def unknown(what: str, values: Sequence[Value], package: str = "builtins") -> Opaque:
    """A number, text or answer that was made of something not known: the first such value says why. It holds nothing of it."""
    for value in values:
        for way in alternatives(value):
            if isinstance(way.value, Open):
                return Opaque(f"{what} of {way.value.kind} {way.value.name}", None, package, origins_in(values))
            if isinstance(way.value, Opaque):
                return Opaque(way.value.why, None, way.value.package or package, origins_in(values))
    first = next((one for one in values if not isinstance(one, Known)), None)
    return Opaque(f"{what} of {first!r}"[:100] if first is not None else what, None, package, origins_in(values))


def taken(what: str, values: Sequence[Value], package: str = "builtins") -> Opaque:
    """A part of something not known, or something that holds it: a change of one may be a change of the other."""
    made = unknown(what, values, package)
    held = [one for one in values if not isinstance(one, Known)]
    return Opaque(made.why, held[0] if len(held) == 1 else Items(held, "tuple") if held else None, made.package, made.origins)


def spread(it: Interpreter, values: Sequence[Value], do: Callable[[list[Value]], Value], what: str = "a function") -> Value:
    """Done for every combination of the ways of several values, each from the state of now."""
    count = 1
    for value in values:
        count *= len(alternatives(value))
    if count > _MOST_COMBINED:
        return unknown(what, values)

    def step(done: list[Value], waiting: Sequence[Value]) -> Value:
        if not waiting:
            return do(done)
        return it.each(waiting[0], lambda one: step([*done, one], waiting[1:]))

    return step([], values)


Small = Callable[..., bool]
"""Whether what a function gives has a size that may be worked out."""


def exact(what: str, function: Callable[..., object], small: Small | None = None, package: str = "builtins") -> Handler:
    """The handler of a function that depends on nothing but its arguments: Python's own answer where all are known."""

    def handler(it: Interpreter, call: Call) -> Value:
        return computed(it, what, function, call, (), small, package)

    return handler


def exact_method(what: str, function: Callable[..., object], small: Small | None = None) -> Method:
    """The same of a method; ``function`` takes what it is a method of first."""

    def method(it: Interpreter, base: Value, call: Call) -> Value:
        return computed(it, what, function, call, (base,), small)

    return method


def computed(
    it: Interpreter, what: str, function: Callable[..., object], call: Call, first: tuple[Value, ...] = (), small: Small | None = None,
    package: str = "builtins",
) -> Value:  # fmt: skip
    """What Python's own function gives for known arguments; what it raises ends the way."""
    given = [*first, *call.positional]
    names = list(call.keywords)
    if call.rest is not None or any(map(perhaps_absent, given)):
        return unknown(what, [*given, *call.given()], package)

    def do(values: list[Value]) -> Value:
        try:
            ready = [plain(one) for one in values]
        except NotPlain:
            it.may_fail()
            return unknown(what, values, package)
        positional, keywords = ready[: len(given)], dict(zip(names, ready[len(given) :], strict=True))
        try:
            if small is not None and not small(*positional, **keywords):
                return Opaque(f"{what}: too large to work out", package=package, origins=origins_in(values))
            return value_of(function(*positional, **keywords), origins_in(values))
        except REFUSED:
            raise Dead from None
        except (MemoryError, RecursionError):
            return unknown(what, values, package)

    return spread(it, [*given, *call.keywords.values()], do, what)


def dunder(it: Interpreter, value: Value, name: str, call: Call, *given: Value) -> Value | None:
    """What a special method of a class of the repository gives; None where it has none."""
    if not isinstance(value, Object) or value.cls is None or value.cls.find(name) is None:
        return None
    method = it.attribute(value, name, it.place(call.node, call.frame))
    return it.call(method, Call(given, {}, None, call.node, call.frame))
