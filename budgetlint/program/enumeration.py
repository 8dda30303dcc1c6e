"""Enumerations of the repository: their members, and which one a value is."""

from __future__ import annotations

import ast

from budgetlint.program.calling import Call, Frame
from budgetlint.program.choices import key_of
from budgetlint.program.ends import Dead
from budgetlint.program.objects import Class, Function, Native, Object, Property
from budgetlint.program.operators import made_of
from budgetlint.program.state import Interpreter, name_of
from budgetlint.program.truth import compared
from budgetlint.program.values import Absent, Items, Key, Known, Opaque, Value

_BASES = frozenset({"Enum", "StrEnum", "IntEnum", "ExplicitEnum", "Flag", "IntFlag"})
_AUTO = frozenset({"enum.auto"})


def is_enum(cls: Class) -> bool:
    return any(_last(one) in _BASES for one in cls.line)


def _last(value: Value) -> str:
    return name_of(value).rpartition(".")[2]


def members(it: Interpreter, cls: Class, inside: Frame) -> None:
    """Makes members of the values of the class's body; a second name of a value is another one of its member."""
    made: list[Object] = []
    known: dict[Key, Object] = {}
    for name, written in list(cls.attributes.items()):
        if not isinstance(name, str) or name.startswith("_") or isinstance(written, Function | Class | Property | Native):
            continue
        value = _numbered(cls, name, made) if isinstance(written, Object) and written.kind in _AUTO else written
        key = key_of(value)
        other = known.get(key) if not isinstance(key, Absent) else None
        cls.attributes[name] = other if other is not None else _member(it, cls, name, value, inside)
        if other is None:
            made.append(cls.attributes[name])  # type: ignore[arg-type]
            if not isinstance(key, Absent):
                known[key] = made[-1]
    cls.attributes["__members__"] = Items(made, "tuple")


def _member(it: Interpreter, cls: Class, name: str, value: Value, inside: Frame) -> Object:
    one = Object(cls.kind, cls)
    one.data = "member"
    own = cls.find("__new__") is not None
    told = Opaque(f"the value of {cls.name}.{name}") if own else value
    one.attributes = {"name": Known(name), "_name_": Known(name), "value": told, "_value_": told}
    start = cls.find("__init__")
    if isinstance(start, Function):
        given = value.items if isinstance(value, Items) and value.kind == "tuple" else (value,)
        it.call(start.of(one), Call(tuple(given), {}, None, cls.node, inside))
    return one


def _numbered(cls: Class, name: str, made: list[Object]) -> Value:
    """What ``auto()`` gives."""
    if cls.find("_generate_next_value_") is not None:
        return Opaque("a value that a class of the repository numbers")
    kinds = {_last(one) for one in cls.line}
    if kinds & {"StrEnum"}:
        return Known(name.lower())
    values = [one.attributes["value"] for one in made]
    numbers = [one.value for one in values if isinstance(one, Known) and isinstance(one.value, int)]
    if len(numbers) < len(values):
        return Opaque("a number after what is none")
    if kinds & {"Flag", "IntFlag"}:
        return Known(1 if not numbers else 1 << max(numbers).bit_length())
    return Known(max(numbers) + 1 if numbers else 1)


def named(cls: Class, name: Value) -> Value:
    """``Kind["lora"]``."""
    if not isinstance(name, Known) or not isinstance(name.value, str):
        return Opaque(f"a member of {cls.name}")
    found = cls.attributes.get(name.value)
    if not isinstance(found, Object) or found.data != "member":
        raise Dead("KeyError")
    return found


def member_of(cls: Class, call: Call) -> Value:
    """``Kind("lora")``."""
    known = cls.attributes.get("__members__")
    wanted = call.get("value", 0)
    if not isinstance(known, Items) or wanted is None or len(call.positional) > 1:
        return Opaque(f"a member of {cls.name}")
    if wanted in known.items:
        return wanted
    found = [(one, compared(ast.Eq(), one.attributes["value"], wanted)) for one in known.items if isinstance(one, Object)]
    for one, held in found:
        if held is True:
            return one
    if isinstance(wanted, Known) and all(held is False for _, held in found) and cls.find("_missing_") is None and known.items:
        raise Dead("ValueError")
    return made_of(wanted)
