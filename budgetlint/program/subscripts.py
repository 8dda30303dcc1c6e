"""``base[key]``."""

from __future__ import annotations

import ast

from budgetlint.program.calling import Call, Frame
from budgetlint.program.choices import alternatives, choice, key_of, origins_of
from budgetlint.program.ends import Dead
from budgetlint.program.enumeration import is_enum, named
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.models import TENSORS
from budgetlint.program.objects import Class, Function, Object
from budgetlint.program.operators import made_of
from budgetlint.program.packages.roots import ROOT, marked
from budgetlint.program.state import Interpreter
from budgetlint.program.values import ABSENT, Absent, Choice, External, Items, Key, Known, Map, Opaque, Open, Value, Way


def item(it: Interpreter, base: Value, key: Value, node: ast.AST, frame: Frame) -> Value:
    """What stands at a key. An item that is surely not there ends the way, as Python ends it."""
    if isinstance(base, Choice) and any(isinstance(way.value, Object) and way.value.cls is not None for way in base.ways):
        return it.each(base, lambda one: item(it, one, key, node, frame))
    if isinstance(base, Choice):
        return _each(base, lambda one: item(it, one, key, node, frame))
    if isinstance(key, Choice):
        return _each(key, lambda one: item(it, base, one, node, frame))
    if isinstance(base, Map):
        asked = key_of(key)
        if isinstance(asked, Absent) or perhaps_absent(base.items.get(asked, ABSENT)):
            it.may_fail("KeyError")
        return there(it.parts.node(it, base, asked), "KeyError")
    if isinstance(base, Items):
        if base.more is not None or not isinstance(key, Known):
            it.may_fail("IndexError")
        return _of_items(base, key)
    if isinstance(base, Known):
        return _of_text(base, key)
    if isinstance(base, Object):
        return _of_object(it, base, key, node, frame)
    if isinstance(base, Class) and is_enum(base):
        return named(base, key)
    if isinstance(base, Class | Function):
        return base  # list[int], Generic[T]
    if isinstance(base, External) and base.name.endswith(".__dict__") and isinstance(key, Known) and isinstance(key.value, str):
        return External(f"{base.name.removesuffix('.__dict__')}.{key.value}")
    it.may_fail("IndexError")
    it.may_fail("KeyError")
    return part_of(base, f"[{key.value!r}]" if isinstance(key, Known) else "[]")


def _each(value: Choice, do) -> Value:  # type: ignore[no-untyped-def]
    found = []
    for way in value.ways:
        try:
            found.append(Way(way.when, do(way.value)))
        except Dead:
            continue
    if not found:
        raise Dead
    return choice(found)


def there(value: Value, error: str = "") -> Value:
    """Where it is perhaps not there, the way on which it is read is one on which it is."""
    if isinstance(value, Absent):
        raise Dead(error)
    if isinstance(value, Choice) and perhaps_absent(value):
        return choice(way for way in value.ways if not isinstance(way.value, Absent))
    return value


def of_map(base: Map, key: Key | Absent) -> Value:
    """The value of a key; ABSENT where it is surely not there."""
    if isinstance(key, Absent):
        if base.rest is None and base.items:
            return choice(Way("", value) for value in base.items.values())
        return Opaque("a key that is not known")
    found = base.items.get(key, ABSENT)
    if not perhaps_absent(found) or base.rest is None:
        return found
    rest = _rest_at(base.rest, base, key)
    return choice([*(way for way in alternatives(found) if way.value is not ABSENT), Way("", rest)])


def _rest_at(rest: Value, base: Map, key: object) -> Value:
    if isinstance(rest, Open):
        return Open(rest.kind, f"{rest.name}.{key}" if rest.name else str(key), rest.origins or base.origins)
    return rest


def _of_items(base: Items, key: Value) -> Value:
    if isinstance(key, Object) and isinstance(key.data, slice):
        return _sliced(base, key.data)
    at = key.value if isinstance(key, Known) else None
    if not isinstance(at, int) or base.kind == "set":
        return (
            choice([*(Way("", one) for one in base.items), *([Way("", base.more)] if base.more is not None else [])])
            if base.items
            else made_of(base.more or key)
        )
    if base.more is None:
        if not -len(base.items) <= at < len(base.items):
            raise Dead("IndexError")
        return there(base.items[at])
    if 0 <= at < len(base.items) and not any(map(perhaps_absent, base.items[: at + 1])):
        return base.items[at]
    return base.more


def _sliced(base: Items, part: slice) -> Value:
    if part.step == 0:
        raise Dead("ValueError")
    if base.more is None:
        return Items(base.items[part], base.kind, None, base.origins)
    if part.start in (None, 0) and isinstance(part.stop, int) and 0 <= part.stop <= len(base.items) and part.step is None:
        return Items(base.items[: part.stop], base.kind, None, base.origins)
    if isinstance(part.start, int) and part.stop is None and part.step is None and 0 <= part.start <= len(base.items):
        return Items(base.items[part.start :], base.kind, base.more, base.origins)
    return Items((), base.kind, base.more, base.origins)


def _of_text(base: Known, key: Value) -> Value:
    at = key.data if isinstance(key, Object) and isinstance(key.data, slice) else key.value if isinstance(key, Known) else None
    if isinstance(base.value, str) and marked(base.value) and not _keeps_the_root(base.value, at):
        return made_of(base, key)
    if isinstance(base.value, str | bytes) and isinstance(at, int | slice):
        try:
            return Known(base.value[at], base.origins)
        except (IndexError, ValueError) as error:
            raise Dead(type(error).__name__) from None
    if base.value is None or isinstance(base.value, int | float):
        raise Dead("TypeError")
    return made_of(base, key)


def _keeps_the_root(text: str, at: object) -> bool:
    """A part of a project's path that still begins with the project's folder: ``__file__[:-3]``."""
    return (
        isinstance(at, slice) and at.start is None and at.step is None and isinstance(at.stop, int) and len(ROOT) - len(text) <= at.stop < 0
    )


def _of_object(it: Interpreter, base: Object, key: Value, node: ast.AST, frame: Frame) -> Value:
    call = Call((key,), {}, None, node, frame)
    if base.cls is not None:
        method = base.cls.find("__getitem__")
        if isinstance(method, Function):
            return it.call(method.of(base), call)
    handler = it.parts.methods.get(f"{base.kind}.__getitem__")
    return handler(it, base, call) if handler is not None else part_of(base, "[]")


_TOLD = frozenset({".config", ".generation_config", *(f".{name}" for name in TENSORS)})
"""Parts that are told apart from what they are of: a model's configuration, and numbers, are no modules of it."""


def part_of(base: Value, what: str) -> Value:
    """An item or attribute of something that is not followed."""
    if isinstance(base, Open) and base.kind == "field":
        return Open("field", f"{base.name}{what}", base.origins)
    if isinstance(base, Open):
        return Opaque(f"made of {base.kind} {base.name}", origins=base.origins)
    if isinstance(base, Opaque):
        of_config = what.startswith(".") and base.why.startswith(".config of ")
        why = f"{what} of {base.why[1:]}" if of_config else f"{what} of {base.why}" if what in _TOLD else base.why
        return Opaque(why[:100], base.of, base.package, base.origins)
    package = base.kind.partition(".")[0] if isinstance(base, Object) else ""
    return Opaque(f"{what} of {base!r}"[:100], base, package, origins_of([base]))
