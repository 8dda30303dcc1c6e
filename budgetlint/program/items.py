"""Items that are set and deleted, of what is known and of one of several."""

from __future__ import annotations

import ast
from collections.abc import Callable

from budgetlint.program.calling import Call, Frame
from budgetlint.program.choices import choice, key_of, origins_of
from budgetlint.program.ends import Dead
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.noted import Replaced
from budgetlint.program.objects import Class, Function, Object
from budgetlint.program.places import Place
from budgetlint.program.reads import whole
from budgetlint.program.state import Interpreter
from budgetlint.program.values import ABSENT, NONE, External, Items, Key, Known, Map, Opaque, Value, Way


def set_items(it: Interpreter, base: Value, key: Value, value: Value, node: ast.AST, frame: Frame) -> None:
    """The same where base or key is one of several."""
    each_item(it, base, key, lambda one, at: set_item(it, one, at, value, node, frame))


def each_item(it: Interpreter, base: Value, key: Value, do: Callable[[Value, Value], None]) -> None:
    """Something done to each of several items that may be the one."""
    each_of(it, base, lambda one: each_of(it, key, lambda at: do(one, at)))


def each_of(it: Interpreter, value: Value, do: Callable[[Value], None]) -> None:
    """Something done to each of several values that may be the one."""

    def one(way: Value) -> Value:
        do(way)
        return NONE

    it.each(value, one)


def set_item(it: Interpreter, base: Value, key: Value, value: Value, node: ast.AST, frame: Frame) -> None:
    """``base[key] = value``."""
    if isinstance(base, Map):
        _note_replaced(it, base, key_of(key), value, it.place(node, frame))
        _set_key(it, base, key_of(key), value)
    elif isinstance(base, Items):
        _set_at(it, base, key, value)
    elif isinstance(base, Object) and base.cls is not None and isinstance(method := base.cls.find("__setitem__"), Function):
        it.call(method.of(base), Call((key, value), {}, None, node, frame))
    elif isinstance(base, Object):
        it.heap.write(base, None, Opaque("an item was set", origins=origins_of([value])), "rest")
        set_foreign(it, base, "__setitem__", value, node, frame)
    else:
        set_foreign(it, base, "__setitem__", value, node, frame)


def set_foreign(it: Interpreter, base: Value, name: str, value: Value, node: ast.AST, frame: Frame) -> None:
    """A change of something of a package."""
    it.set_attribute(base, name, value, it.place(node, frame)) if isinstance(base, External | Opaque) else None


def _note_replaced(it: Interpreter, base: Map, key: Key, value: Value, place: Place) -> None:
    """A config's value that an option's default is written over, and that nothing asked for."""
    old = base.items.get(key, ABSENT)
    if not isinstance(old, Known) or not isinstance(value, Known) or old.value == value.value or any(it.conditions):
        return
    stood, came = (one.origins[0] if one.origins else None for one in (old, value))
    if stood is None or stood.kind != "config" or stood.place.span is None or came is None or came.kind != "option":
        return
    if (stood.place.path, stood.place.span.start) not in it.asked:
        it.slips.replaced.append(Replaced(str(key), old, value, place))


def _set_key(it: Interpreter, base: Map, key: Key, value: Value) -> None:
    if key is not ABSENT:
        it.heap.write(base, key, value)
        return
    for other, old in list(base.items.items()):  # any key may be the one
        it.heap.write(base, other, choice([Way("", old), Way("", value)]))
    it.heap.write(base, None, Opaque("a key that is not known was set", origins=origins_of([value])), "rest")


def _set_at(it: Interpreter, base: Items, key: Value, value: Value) -> None:
    if base.kind == "tuple":
        raise Dead("TypeError")
    at = place_of(key)
    items = list(base.items)
    if isinstance(at, slice):
        _set_slice(it, base, at, value)
    elif at is not None and _is_there(base, at):
        items[at] = value
        it.heap.write(base, None, Items(items, base.kind, base.more))
    elif at is not None and base.more is None:
        raise Dead("IndexError")
    else:
        it.may_fail("IndexError")
        of = origins_of([value])
        perhaps = [choice([Way("", one), Way("", value)]) for one in items]
        more = None if base.more is None else Opaque("an item that is not known was set", origins=of)
        it.heap.write(base, None, Items(perhaps, base.kind, more))


def place_of(key: Value) -> int | slice | None:
    """The index or slice that a key is, if it is known."""
    if isinstance(key, Object) and isinstance(key.data, slice):
        return key.data
    return key.value if isinstance(key, Known) and isinstance(key.value, int) else None


def _is_there(base: Items, at: int) -> bool:
    """Whether an item of a list surely stands at this index and is known."""
    if base.more is None:
        return -len(base.items) <= at < len(base.items) and not any(map(perhaps_absent, base.items))
    return 0 <= at < len(base.items) and not any(map(perhaps_absent, base.items[: at + 1]))


def _set_slice(it: Interpreter, base: Items, part: slice, value: Value) -> None:
    items = list(base.items)
    plain = base.more is None and isinstance(value, Items) and value.more is None and value.kind in ("list", "tuple")
    if plain and isinstance(value, Items) and not any(map(perhaps_absent, (*items, *value.items))):
        try:
            items[part] = value.items
        except ValueError:
            raise Dead("ValueError") from None
        it.heap.write(base, None, Items(items, base.kind))
    else:
        it.heap.write(base, None, Items((), base.kind, Opaque("a part that is not known was set")))


def delete_item(it: Interpreter, base: Value, key: Value) -> None:
    """``del base[key]``."""
    each_item(it, base, key, lambda one, at: _delete_of(it, one, at))


def _delete_of(it: Interpreter, base: Value, key: Value) -> None:
    name = key_of(key)
    if isinstance(base, Map) and name is not ABSENT:
        if base.rest is None and name not in base.items:
            raise Dead("KeyError")
        if perhaps_absent(base.items.get(name, ABSENT)):
            it.may_fail("KeyError")
        it.heap.write(base, name, ABSENT)
    elif isinstance(base, Map):
        it.may_fail("KeyError")
        for other, old in list(base.items.items()):
            it.heap.write(base, other, choice([Way("", old), Way("", ABSENT)]))
    elif isinstance(base, Items):
        _delete_at(it, base, place_of(key))


def _delete_at(it: Interpreter, base: Items, at: int | slice | None) -> None:
    items = list(base.items)
    if base.more is None and at is not None and not any(map(perhaps_absent, items)):
        if isinstance(at, int) and not -len(items) <= at < len(items):
            raise Dead("IndexError")
        del items[at]
        it.heap.write(base, None, Items(items, base.kind))
        return
    it.may_fail("IndexError")
    it.heap.write(base, None, Items((), base.kind, Opaque("an item was taken away")))


def set_all(it: Interpreter, base: Object, value: Value) -> None:
    """``self.__dict__ = json.load(stream)``: the attributes are those of the mapping, and no others."""
    for old in list(base.attributes):
        it.heap.write(base, old, ABSENT)
    found = value if isinstance(value, Map) else Map(None, Opaque("a mapping that became the attributes", value))
    whole(it, found)
    for key, one in found.items.items():
        if isinstance(key, str):
            it.heap.write(base, key, one)
    it.heap.write(base, None, ABSENT if found.rest is None else found.rest, "rest")
    if found.rest is not None and base.cls is not None:  # it may have any name of the class
        of_class = {key: one for cls in reversed(base.cls.line) if isinstance(cls, Class) for key, one in cls.attributes.items()}
        for name in of_class.keys() - found.items.keys():
            it.heap.write(base, name, choice([Way("", of_class[name]), Way("", found.rest)]))
