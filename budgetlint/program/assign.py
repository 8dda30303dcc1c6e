"""Binding of names, items and attributes."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from budgetlint.program.calling import Call, Frame
from budgetlint.program.choices import alternatives, choice, origins_of
from budgetlint.program.ends import Dead
from budgetlint.program.items import delete_item, each_item, each_of, set_item, set_items
from budgetlint.program.iterate import iterated
from budgetlint.program.modules import Lazy
from budgetlint.program.objects import Class, Function, Object
from budgetlint.program.operators import METHODS as _WORDS
from budgetlint.program.operators import extended, operated
from budgetlint.program.packages.sequences import distinct
from budgetlint.program.places import Place
from budgetlint.program.pour import pour
from budgetlint.program.state import Interpreter
from budgetlint.program.subscripts import item
from budgetlint.program.values import ABSENT, NONE, Choice, Items, Known, Map, Names, Opaque, Value, Way


def assign(it: Interpreter, target: ast.expr, value: Value, frame: Frame) -> None:
    """``target = value``, whatever the target is."""
    match target:
        case ast.Name(id=name):
            bind(it, frame, name, value)
        case ast.Attribute():
            _set_attribute(it, it.evaluate(target.value, frame), target, value, frame)
        case ast.Subscript():
            base, key = it.evaluate(target.value, frame), it.evaluate(target.slice, frame)
            set_items(it, base, key, value, target, frame)
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            _unpack(it, elements, value, frame)
        case ast.Starred():
            assign(it, target.value, value, frame)


def _set_attribute(it: Interpreter, base: Value, target: ast.Attribute, value: Value, frame: Frame) -> None:
    place = it.place(target, frame)
    each_of(it, base, lambda one: it.set_attribute(one, target.attr, value, place))


def bind(it: Interpreter, frame: Frame, name: str, value: Value) -> None:
    """A name of this body, or of the one that it declares it to be of."""
    it.heap.write(frame.names.shared.get(name, frame.names), name, value)


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
    while at is not None and (name not in at.bound or at.kind == "class"):
        at = at.above
    return at


def augment(it: Interpreter, node: ast.AugAssign, frame: Frame) -> None:
    """``target += value``: a list and a dict are changed in place."""
    target = node.target
    if isinstance(target, ast.Name):
        old = it.evaluate(ast.copy_location(ast.Name(target.id, ast.Load()), target), frame)
        bind(it, frame, target.id, _augmented(it, old, node, frame))
    elif isinstance(target, ast.Attribute):
        base, place = it.evaluate(target.value, frame), it.place(target, frame)
        it.each(base, lambda one: _change_attribute(it, one, target, place, node, frame))
    elif isinstance(target, ast.Subscript):
        base, key = it.evaluate(target.value, frame), it.evaluate(target.slice, frame)
        if not isinstance(base, Choice) and not isinstance(key, Choice):
            set_item(it, base, key, _augmented(it, item(it, base, key, target, frame), node, frame), target, frame)
            return
        value = it.evaluate(node.value, frame)
        each_item(
            it,
            base,
            key,
            lambda one, at: set_item(it, one, at, augmented(it, item(it, one, at, target, frame), value, node, frame), target, frame),
        )


def _change_attribute(it: Interpreter, base: Value, target: ast.Attribute, place: Place, node: ast.AugAssign, frame: Frame) -> Value:
    it.set_attribute(base, target.attr, _augmented(it, it.attribute(base, target.attr, place), node, frame), place)
    return NONE


def _augmented(it: Interpreter, old: Value, node: ast.AugAssign, frame: Frame) -> Value:
    return augmented(it, old, it.evaluate(node.value, frame), node, frame)


def augmented(it: Interpreter, old: Value, value: Value, node: ast.AugAssign, frame: Frame) -> Value:
    """``old += value`` and its like; what is changed in place is the same object."""
    if any(isinstance(way.value, Items | Map | Object) for way in alternatives(old)):
        return it.each(old, lambda one: _in_place(it, one, value, node, frame))
    return _in_place(it, old, value, node, frame)


def _in_place(it: Interpreter, old: Value, value: Value, node: ast.AugAssign, frame: Frame) -> Value:
    """One of the values that the target may have."""
    if isinstance(old, Items) and old.kind == "list" and isinstance(node.op, ast.Add):
        items, more = iterated(it, value, node, frame)
        it.heap.write(old, None, extended(old, value if isinstance(value, Items) else Items(items, "list", more, value.origins)))
        return old
    if isinstance(old, Map) and isinstance(node.op, ast.BitOr) and isinstance(value, Map):
        pour(it, value, old)
        return old
    if isinstance(old, Items) and old.kind == "set":
        return _of_set(it, old, value, node.op)
    if (
        (isinstance(old, Object) and old.cls is None)
        or isinstance(old, Map)
        or (isinstance(old, Items) and not isinstance(node.op, ast.Add | ast.Mult))
    ):
        it.disturb(old, "changed by an operator", it.place(node, frame))
        return old
    own = (
        old.cls.find(f"__i{_WORDS[type(node.op)]}__")
        if isinstance(old, Object) and old.cls is not None and type(node.op) in _WORDS
        else None
    )
    if isinstance(own, Function):
        return it.call(own.of(old), Call((value,), {}, None, node, frame))
    return operated(it, node, old, value, frame)


def _of_set(it: Interpreter, old: Items, value: Value, op: ast.operator) -> Value:
    """``|=`` adds; what others take away nobody works out here."""
    whole = isinstance(value, Items) and value.more is None and old.more is None and isinstance(op, ast.BitOr)
    found = distinct((*old.items, *value.items)) if whole and isinstance(value, Items) else None
    it.heap.write(old, None, Items((), "set", Opaque("a set that was changed")) if found is None else Items(found, "set"))
    return old


def delete(it: Interpreter, target: ast.expr, frame: Frame) -> None:
    """``del target``."""
    match target:
        case ast.Name(id=name):
            it.heap.write(frame.names.shared.get(name, frame.names), name, ABSENT)
        case ast.Attribute():
            base = it.evaluate(target.value, frame)
            each_of(it, base, lambda one: _delete_attribute(it, one, target.attr))
        case ast.Subscript():
            delete_item(it, it.evaluate(target.value, frame), it.evaluate(target.slice, frame))
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            for one in elements:
                delete(it, one, frame)


def _delete_attribute(it: Interpreter, base: Value, name: str) -> None:
    if isinstance(base, Object | Class):
        if isinstance(base, Object) and base.rest is None and not base.kind and name not in base.attributes:
            raise Dead("AttributeError")
        it.heap.write(base, name, ABSENT)


def _unpack(it: Interpreter, elements: list[ast.expr], value: Value, frame: Frame) -> None:
    ways = value.ways if isinstance(value, Choice) else (Way("", value),)
    parts = [_parts(_gone_over(it, way.value, frame), elements) for way in ways]
    alive = [(way.when, part) for way, part in zip(ways, parts, strict=True) if part is not None]
    if not alive:
        raise Dead("ValueError")
    if len(alive) < len(ways) or not all(isinstance(way.value, Items) and way.value.more is None for way in ways):
        it.may_fail("ValueError")
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
    if isinstance(value, Known):
        return _exact([Known(one, value.origins) for one in value.value], len(elements), starred) if isinstance(value.value, str) else None
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
