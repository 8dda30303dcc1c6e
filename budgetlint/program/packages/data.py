"""``dataclasses`` and ``copy``: objects taken apart, copied, made anew with other fields."""

from __future__ import annotations

from budgetlint.program.calling import Call
from budgetlint.program.choices import choice
from budgetlint.program.copies import reachable
from budgetlint.program.dataclass import fields_of, is_dataclass
from budgetlint.program.ends import Dead
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.objects import Class, Handler, Object
from budgetlint.program.packages.plain import taken, unknown
from budgetlint.program.state import Interpreter
from budgetlint.program.values import ABSENT, FALSE, TRUE, Choice, External, Items, Known, Map, Opaque, Value, Way

_MOST_COPIED = 399
"""Objects that one copy may hold: `reachable` looks no further."""


def _class_of(value: Value) -> Class | None:
    return value if isinstance(value, Class) else value.cls if isinstance(value, Object) else None


def _whole(cls: Class) -> bool:
    """All fields are written in the repository."""
    return all(
        isinstance(one, Class) or (isinstance(one, External) and one.name in ("object", "abc.ABC", "typing.Generic")) for one in cls.line
    )


def _asdict(it: Interpreter, call: Call) -> Value:
    value = call.get("obj", 0)
    if value is None or call.rest is not None or set(call.keywords) - {"obj"} or len(call.positional) > 1:
        return Map({}, taken("dataclasses.asdict", call.given(), "dataclasses"))
    return it.each(value, lambda one: _taken_apart(it, one, call))


def _taken_apart(it: Interpreter, value: Value, call: Call) -> Value:
    cls = _class_of(value)
    if not isinstance(value, Object) or cls is None or not is_dataclass(cls):
        if isinstance(value, Known | Items | Map | Class):
            raise Dead
        return Map({}, taken("dataclasses.asdict", [value], "dataclasses"))
    made = Map({}, None, value.origins)
    for field in fields_of(cls):
        found = value.attributes.get(field.name, ABSENT)
        made.items[field.name] = _plain_field(
            it, found if not perhaps_absent(found) else it.attribute(value, field.name, it.place(call.node, call.frame)), call, 0
        )
    if not _whole(cls) or value.rest is not None:
        made.rest = value.rest if value.rest is not None else Opaque(f"a field of {cls.kind}", value)
    return made


def _plain_field(it: Interpreter, value: Value, call: Call, depth: int) -> Value:
    """``dataclasses._asdict_inner``: dataclasses in it too, all else copied deep."""
    if depth > 20:
        return Opaque("a field that is nested too deep", value)
    if isinstance(value, Choice):
        return choice(Way(way.when, _plain_field(it, way.value, call, depth + 1)) for way in value.ways)
    cls = _class_of(value)
    if isinstance(value, Object) and cls is not None and is_dataclass(cls):
        return _taken_apart(it, value, call)
    if isinstance(value, Items):
        return Items([_plain_field(it, one, call, depth + 1) for one in value.items], value.kind, value.more, value.origins)
    if isinstance(value, Map) and value.root is None:
        made = Map({key: _plain_field(it, one, call, depth + 1) for key, one in value.items.items()}, value.rest, value.origins)
        made.loader, made.path = value.loader, value.path
        return made
    return copied(it, value)


def _replace(it: Interpreter, call: Call) -> Value:
    """``replace(obj, x=1)``: the class called with the fields of now, but for those that are given."""
    value = call.get("", 0)
    if value is None or len(call.positional) != 1:
        return taken("dataclasses.replace", call.given(), "dataclasses")

    def one(base: Value) -> Value:
        cls = _class_of(base)
        if not isinstance(base, Object) or cls is None or not is_dataclass(cls) or not _whole(cls):
            return taken("dataclasses.replace", [base, *call.given()], "dataclasses")
        place = it.place(call.node, call.frame)
        kept = {
            field.name: it.attribute(base, field.name, place) for field in fields_of(cls) if field.init and field.name not in call.keywords
        }
        return it.call(cls, Call((), {**kept, **call.keywords}, call.rest, call.node, call.frame))

    return it.each(value, one)


def _fields(it: Interpreter, call: Call) -> Value:
    cls = _class_of(call.positional[0]) if len(call.positional) == 1 else None
    if cls is None or not is_dataclass(cls):
        return Items((), "tuple", taken("dataclasses.fields", call.given(), "dataclasses"))
    made: list[Value] = []
    for field in fields_of(cls):
        one = Object("dataclasses.Field")
        one.attributes = {"name": Known(field.name), "init": Known(field.init)}
        one.rest = Opaque(f"of field {field.name}", package="dataclasses")
        made.append(one)
    if not _whole(cls):  # those of a package's base come first
        return Items((), "tuple", Opaque(f"a field of {cls.name}", Items(made, "tuple"), "dataclasses"))
    return Items(made, "tuple")


def _is_dataclass(it: Interpreter, call: Call) -> Value:
    value = call.positional[0] if len(call.positional) == 1 else None
    return unknown("dataclasses.is_dataclass", call.given()) if value is None else it.each(value, _is_one)


def _is_one(value: Value) -> Value:
    cls = _class_of(value)
    if cls is not None and is_dataclass(cls):
        return TRUE
    if (cls is not None and _whole(cls) and not cls.decorators) or isinstance(value, Known | Items | Map):
        return FALSE
    return unknown("dataclasses.is_dataclass", [value], "dataclasses")


# copies


def copied(it: Interpreter, value: Value) -> Value:
    """``copy.deepcopy``: everything that can change is new; what is one object stays one."""
    if len(reachable(value, _MOST_COPIED + 1)) > _MOST_COPIED:
        return Opaque("a copy of more than is followed", value, "copy", value.origins)
    return _deep(value, {})


def _deep(value: Value, kept: dict[int, Value]) -> Value:
    if id(value) in kept:
        return kept[id(value)]
    if isinstance(value, Choice):
        return choice(Way(way.when, _deep(way.value, kept)) for way in value.ways)
    if isinstance(value, Items):
        made = Items(value.items, value.kind, value.more, value.origins)
        kept[id(value)] = made
        made.items = tuple(_deep(one, kept) for one in made.items)
        return made
    if isinstance(value, Map):
        return _deep_map(value, kept)
    if isinstance(value, Object) and value.data != "member":
        new = _same_object(value)
        kept[id(value)] = new
        new.attributes = {key: _deep(one, kept) for key, one in value.attributes.items()}
        return new
    return value


def _deep_map(value: Map, kept: dict[int, Value]) -> Map:
    made = Map({}, value.rest, value.origins)
    made.loader, made.path = value.loader, value.path
    kept[id(value)] = made
    if value.root is not None:
        root = made if value.root is value else _deep(value.root, kept)
        made.root = root if isinstance(root, Map) else None
    made.items = {key: _deep(one, kept) for key, one in value.items.items()}
    return made


def _same_object(value: Object) -> Object:
    made = Object(value.kind, value.cls, value.origins)
    made.attributes, made.rest, made.made, made.data = dict(value.attributes), value.rest, value.made, value.data
    return made


def _shallow(value: Value) -> Value:
    if isinstance(value, Items):
        return Items(value.items, value.kind, value.more, value.origins)
    if isinstance(value, Map):
        made = Map(dict(value.items), value.rest, value.origins)
        made.loader, made.path, made.root = value.loader, value.path, value.root
        return made
    if isinstance(value, Object) and value.data != "member":
        return _same_object(value)
    return value


def _own_copy(value: Value, name: str) -> bool:
    return (
        isinstance(value, Object)
        and value.cls is not None
        and (value.cls.find(name) is not None or value.cls.find("__reduce__") is not None)
    )


def _copy(name: str, *, deep: bool) -> Handler:
    def one(it: Interpreter, value: Value) -> Value:
        held = reachable(value, _MOST_COPIED) if deep else [value]
        if any(_own_copy(part, f"__{name}__") for part in held):
            return taken(f"copy.{name}", [value], "copy")
        return copied(it, value) if deep else _shallow(value)

    def handler(it: Interpreter, call: Call) -> Value:
        value = call.get("x", 0)
        if value is None or call.rest is not None or len(call.given()) != 1:
            return taken(f"copy.{name}", call.given(), "copy")
        return it.each(value, lambda way: one(it, way))

    return handler


FUNCTIONS: dict[str, Handler] = {
    "dataclasses.asdict": _asdict, "dataclasses.replace": _replace, "dataclasses.fields": _fields,
    "dataclasses.is_dataclass": _is_dataclass,
    "copy.deepcopy": _copy("deepcopy", deep=True), "copy.copy": _copy("copy", deep=False), "copy.replace": _replace,
}  # fmt: skip
