"""Binding of names, items and attributes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from budgetlint.program.heap import perhaps_absent, table
from budgetlint.program.modules import Lazy
from budgetlint.program.operators import binary, extended
from budgetlint.program.pour import pour
from budgetlint.program.state import Call, Dead, Frame, Interpreter
from budgetlint.program.subscripts import item
from budgetlint.program.values import (
    ABSENT,
    NONE,
    Choice,
    Class,
    External,
    Items,
    Key,
    Known,
    Map,
    Names,
    Object,
    Opaque,
    Package,
    Value,
    Way,
    alternatives,
    choice,
    key_of,
    origins_of,
)


def assign(it: Interpreter, target: ast.expr, value: Value, frame: Frame) -> None:
    """``target = value``, whatever the target is."""
    match target:
        case ast.Name(id=name):
            bind(it, frame, name, value)
        case ast.Attribute():
            base = it.evaluate(target.value, frame)
            place = it.place(target, frame)
            weakly(
                base,
                value,
                lambda one: it.attribute(one, target.attr, place),
                lambda one, new: it.set_attribute(one, target.attr, new, place),
            )
        case ast.Subscript():
            base, key = it.evaluate(target.value, frame), it.evaluate(target.slice, frame)
            weakly(base, value, lambda one: item(it, one, key, target, frame), lambda one, new: set_item(it, one, key, new, target, frame))
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            _unpack(it, elements, value, frame)
        case ast.Starred():
            assign(it, target.value, value, frame)


def weakly(base: Value, value: Value, read: Callable[[Value], Value], write: Callable[[Value, Value], None]) -> None:
    """A change of one of several: each has the new value only if it is the one."""
    if not isinstance(base, Choice):
        write(base, value)
        return
    for way in base.ways:
        if isinstance(way.value, Object | Map | Items | Class):
            write(way.value, choice([Way(way.when, value), Way(f"not ({way.when})" if way.when else "", _or_absent(read, way.value))]))


def _or_absent(read: Callable[[Value], Value], base: Value) -> Value:
    """What stands there, ABSENT where nothing does: a new key of one of several."""
    try:
        return read(base)
    except Dead:
        return ABSENT


def bind(it: Interpreter, frame: Frame, name: str, value: Value) -> None:
    """A name of this body, or of the one that it declares it to be of."""
    names = frame.names.shared.get(name, frame.names)
    it.heap.write(names, name, value)


def declare(frame: Frame, names: Sequence[str], *, everywhere: bool) -> None:
    """``global`` (``everywhere``) and ``nonlocal``."""
    for name in names:
        owner = _outermost(frame.names) if everywhere else _above_with(frame.names, name)
        if owner is not None:
            frame.names.shared[name] = owner


def _outermost(names: Names) -> Names:
    while names.above is not None:
        names = names.above
    return names


def _above_with(names: Names, name: str) -> Names | None:
    at = names.above
    while at is not None and name not in at.bound:
        at = at.above
    return at


def set_item(it: Interpreter, base: Value, key: Value, value: Value, node: ast.AST, frame: Frame) -> None:
    """``base[key] = value``."""
    if isinstance(base, Map):
        _set_key(it, base, key_of(key), value)
    elif isinstance(base, Items):
        _set_at(it, base, key, value)
    elif isinstance(base, Object):
        it.heap.write(base, None, Opaque("an item was set", origins=origins_of([value])), "rest")
        set_foreign(it, base, "__setitem__", value, node, frame)
    else:
        set_foreign(it, base, "__setitem__", value, node, frame)


def set_foreign(it: Interpreter, base: Value, name: str, value: Value, node: ast.AST, frame: Frame) -> None:
    """A change of something of a package."""
    it.set_attribute(base, name, value, it.place(node, frame)) if isinstance(base, External | Opaque) else None


def _set_key(it: Interpreter, base: Map, key: Key, value: Value) -> None:
    if key is not ABSENT:
        it.heap.write(base, key, value)
        return
    for other, old in list(base.items.items()):  # any key may be the one
        it.heap.write(base, other, choice([Way("", old), Way("", value)]))
    it.heap.write(base, None, Opaque("a key that is not known was set", origins=origins_of([value])), "rest")


def _set_at(it: Interpreter, base: Items, key: Value, value: Value) -> None:
    at = key.value if isinstance(key, Known) else None
    items = list(base.items)
    if isinstance(at, int) and base.more is None and -len(items) <= at < len(items):
        items[at] = value
        it.heap.write(base, None, Items(items, base.kind))
    else:
        it.may_fail()
        it.heap.write(base, None, Items((), base.kind, Opaque("an item that is not known was set")))


def augment(it: Interpreter, node: ast.AugAssign, frame: Frame) -> None:
    """``target += value``: a list and a dict are changed in place."""
    target = node.target
    if isinstance(target, ast.Name):
        old = it.evaluate(ast.copy_location(ast.Name(target.id, ast.Load()), target), frame)
        bind(it, frame, target.id, _augmented(it, old, node, frame))
    elif isinstance(target, ast.Attribute):
        base, place = it.evaluate(target.value, frame), it.place(target, frame)
        new = _augmented(it, it.attribute(base, target.attr, place), node, frame)
        weakly(
            base,
            new,
            lambda one: it.attribute(one, target.attr, place),
            lambda one, value: it.set_attribute(one, target.attr, value, place),
        )
    elif isinstance(target, ast.Subscript):
        base, key = it.evaluate(target.value, frame), it.evaluate(target.slice, frame)
        new = _augmented(it, item(it, base, key, target, frame), node, frame)
        weakly(base, new, lambda one: item(it, one, key, target, frame), lambda one, value: set_item(it, one, key, value, target, frame))


def _augmented(it: Interpreter, old: Value, node: ast.AugAssign, frame: Frame) -> Value:
    value = it.evaluate(node.value, frame)
    if any(isinstance(way.value, Items | Map) for way in alternatives(old)):
        return it.each(old, lambda one: _in_place(it, one, value, node, frame))
    return _in_place(it, old, value, node, frame)


def _in_place(it: Interpreter, old: Value, value: Value, node: ast.AugAssign, frame: Frame) -> Value:
    """One of the values that the target may have."""
    if isinstance(old, Items) and old.kind == "list" and isinstance(node.op, ast.Add):
        it.heap.write(old, None, extended(old, value))
        return old
    if isinstance(old, Map) and isinstance(node.op, ast.BitOr) and isinstance(value, Map):
        pour(it, value, old)
        return old
    if isinstance(old, Map | Object | Choice | Items) and not isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
        it.disturb(old, "changed by an operator", it.place(node, frame))
        return old
    return binary(node.op, old, value)


def delete(it: Interpreter, target: ast.expr, frame: Frame) -> None:
    """``del target``."""
    match target:
        case ast.Name(id=name):
            it.heap.write(frame.names.shared.get(name, frame.names), name, ABSENT)
        case ast.Attribute():
            base = it.evaluate(target.value, frame)
            if isinstance(base, Object):
                it.heap.write(base, target.attr, ABSENT)
        case ast.Subscript():
            _delete_item(it, it.evaluate(target.value, frame), it.evaluate(target.slice, frame))
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            for one in elements:
                delete(it, one, frame)


def _delete_item(it: Interpreter, base: Value, key: Value) -> None:
    if isinstance(base, Choice):
        it.each(base, lambda one: _deleted(it, one, key))
        return
    name = key_of(key)
    if isinstance(base, Map) and name is not ABSENT:
        if base.rest is None and name not in base.items:
            raise Dead
        if perhaps_absent(base.items.get(name, ABSENT)):  # type: ignore[call-overload]
            it.may_fail()
        it.heap.write(base, name, ABSENT)
    elif isinstance(base, Map):
        for other, old in list(base.items.items()):
            it.heap.write(base, other, choice([Way("", old), Way("", ABSENT)]))
    elif isinstance(base, Items):
        it.may_fail()
        it.heap.write(base, None, Items((), base.kind, Opaque("an item was taken away")))


def _deleted(it: Interpreter, base: Value, key: Value) -> Value:
    _delete_item(it, base, key)
    return NONE


def _unpack(it: Interpreter, elements: list[ast.expr], value: Value, frame: Frame) -> None:
    ways = value.ways if isinstance(value, Choice) else (Way("", value),)
    parts = [_parts(_gone_over(it, way.value, frame), elements) for way in ways]
    alive = [(way.when, part) for way, part in zip(ways, parts, strict=True) if part is not None]
    if not alive:
        raise Dead
    for at, element in enumerate(elements):
        assign(it, element, choice(Way(when, part[at]) for when, part in alive), frame)


def _gone_over(it: Interpreter, value: Value, frame: Frame) -> Value:
    """``a, b = map(int, words)``: an iterator gives its items."""
    handler = it.parts.methods.get(f"{value.kind}.__iter__") if isinstance(value, Object) and value.made is None else None
    return handler(it, value, Call((), {}, None, ast.Pass(), frame)) if handler is not None and isinstance(value, Object) else value


def _parts(value: Value, elements: list[ast.expr]) -> list[Value] | None:
    """What each target gets of one way; None where Python would refuse."""
    starred = next((at for at, one in enumerate(elements) if isinstance(one, ast.Starred)), None)
    if isinstance(value, Items) and value.more is None and value.kind != "set":
        return _exact(list(value.items), len(elements), starred)
    if isinstance(value, Map) and value.rest is None and starred is None and len(value.items) == len(elements):
        return [key if isinstance(key, Value) else Known(key) if not isinstance(key, tuple) else Opaque("a key") for key in value.items]
    if isinstance(value, Known) and not isinstance(value.value, str):
        return None
    if isinstance(value, Lazy):
        return None
    origins = origins_of([value])
    package = value.package if isinstance(value, Opaque) else value.kind.partition(".")[0] if isinstance(value, Object) else ""
    return [
        _piece(value, at, package) if not origins else Opaque(_why(value), of=value, package=package, origins=origins)
        for at in range(len(elements))
    ]


def _piece(value: Value, at: int, package: str) -> Value:
    """A package's call that gives several things: the first is what it is about (``model, tokenizer = from_pretrained()``)."""
    if isinstance(value, Object) and value.made is not None and value.cls is None:
        return value if at == 0 else Opaque(f"item {at} of {value.kind}", package=package)
    return Opaque(_why(value), of=value, package=package)


def _why(value: Value) -> str:
    return value.why if isinstance(value, Opaque) else f"a part of {value!r}"[:80]


def _exact(items: list[Value], wanted: int, starred: int | None) -> list[Value] | None:
    if starred is None:
        return items if len(items) == wanted else None
    after = wanted - starred - 1
    if len(items) < wanted - 1:
        return None
    end = len(items) - after
    return [*items[:starred], Items(items[starred:end]), *items[end:]]


def bound_tables(value: Value) -> dict[Key, Value]:
    """The names or attributes behind a value, for those who list them."""
    if isinstance(value, Package):
        return value.module.names.bound
    return table(value) if isinstance(value, Object | Class | Map) else {}
