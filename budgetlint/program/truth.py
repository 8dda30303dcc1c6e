"""What a condition comes to: True, False, or None where nobody can tell."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from budgetlint.program.choices import alternatives, key_of
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.objects import Class, Function, Native, Object, Package
from budgetlint.program.packages.roots import marked
from budgetlint.program.values import ABSENT, Choice, External, Items, Known, Map, Value

_MOST_PAIRS = 16
_DEEPEST = 6
_ORDER: dict[type[ast.cmpop], Callable[[Any, Any], object]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_NEGATED = (ast.NotEq, ast.IsNot, ast.NotIn)
DTYPES = frozenset({
    "bfloat16", "float16", "half", "float32", "float", "float64", "double", "int8", "uint8", "int16", "int32", "int64", "long", "int",
    "bool", "float8_e4m3fn", "float8_e5m2",
})  # fmt: skip
_ALIASES = {"half": "float16", "float": "float32", "double": "float64", "long": "int64", "int": "int32"}
"""Second names of dtypes (torch 2.4 to 2.9, documentation of ``torch.dtype``)."""


def truth(value: Value) -> bool | None:
    """Whether a value counts as true."""
    match value:
        case Known():
            return bool(value.value)
        case Choice():
            return _all_agree([truth(way.value) for way in value.ways if way.value is not ABSENT])
        case Items():
            return True if any(not perhaps_absent(one) for one in value.items) else None if value.items or value.more is not None else False
        case Map():
            return (
                True
                if any(not perhaps_absent(one) for one in value.items.values())
                else None
                if value.items or value.rest is not None
                else False
            )
        case Function() | Class() | Package() | Native():
            return True
        case External():
            return True if is_thing(value) else None
        case Object():
            return _object(value)
    return None


def _object(value: Object) -> bool | None:
    if value.cls is not None and (value.cls.find("__bool__") is not None or value.cls.find("__len__") is not None):
        return None
    return True if value.made is not None or (value.cls is not None and not value.cls.kind) else None


def is_thing(value: External) -> bool:
    """Surely a class or a dtype: neither None nor false nor equal to a text."""
    owner, _, last = value.name.rpartition(".")
    return (last[:1].isupper() and not last.isupper()) or (owner == "torch" and last in DTYPES)


def compared(op: ast.cmpop, left: Value, right: Value, depth: int = 0) -> bool | None:
    """One comparison, ``in`` and ``is`` included. What is in something in something deeper than anybody writes is not compared."""
    if depth > _DEEPEST:
        return None
    if isinstance(left, Choice) or isinstance(right, Choice):
        pairs = [(one.value, other.value) for one in alternatives(left) for other in alternatives(right)]
        return _all_agree([compared(op, one, other, depth) for one, other in pairs]) if len(pairs) <= _MOST_PAIRS else None
    found = _compared(op, left, right, depth)
    return found if found is None or not isinstance(op, _NEGATED) else not found


def _compared(op: ast.cmpop, left: Value, right: Value, depth: int) -> bool | None:
    if isinstance(op, ast.In | ast.NotIn):
        return contains(right, left)
    if isinstance(op, ast.Is | ast.IsNot):
        return _identical(left, right)
    if isinstance(op, ast.Eq | ast.NotEq):
        return equal(left, right, depth)
    if isinstance(left, Known) and isinstance(right, Known):
        try:
            return bool(_ORDER[type(op)](left.value, right.value))
        except TypeError:
            return None
    return None


def _identical(left: Value, right: Value) -> bool | None:
    if isinstance(left, Known) and isinstance(right, Known):
        plain = (type(None), bool)
        if isinstance(left.value, plain) or isinstance(right.value, plain):
            return left.value is right.value
        return False if left.value != right.value else None  # the same number may be two objects
    if isinstance(left, Items | Map | Object) and isinstance(right, Items | Map | Object):
        return True if left is right else None  # what a package gives twice may be one
    return equal(left, right)


def equal(left: Value, right: Value, depth: int = 0) -> bool | None:
    """``==``, as far as the kinds of both tell."""
    match left, right:
        case Known(), Known() if marked(left.value) is not marked(right.value):
            return None if type(left.value) is type(right.value) and all(str(one.value).startswith("/") for one in (left, right)) else False
        case Known(), Known():
            return left.value == right.value
        case External(), External():
            return True if left.name == right.name else _same_dtype(left, right)
        case Items(), Items():
            return _equal_items(left, right, depth)
        case Map(), Map():
            return True if left is right else _equal_maps(left, right, depth)
        case Class() | Function(), Class() | Function() if left is right:
            return True
        case Object(), Object() if left is right and not _own_equality(left):
            return True
        case Object(), Object() if _member(left) and _member(right):
            return False
        case Known(), _:
            return _equal_plain(left, right)
        case _, Known():
            return _equal_plain(right, left)
    return None


def _same_dtype(left: External, right: External) -> bool | None:
    """Two names of torch for dtypes; None for anything else."""
    names = [one.name.removeprefix("torch.") for one in (left, right) if one.name.startswith("torch.")]
    if len(names) < 2 or not DTYPES.issuperset(names):
        return None
    one, other = (_ALIASES.get(name, name) for name in names)
    return one == other


def _member(value: Object) -> bool:
    """One of an Enum: compared by identity."""
    return value.cls is not None and value.data == "member"


def _equal_plain(plain: Known, other: Value) -> bool | None:
    if isinstance(other, Object) and _member(other):
        return _equal_member(plain, other)
    if isinstance(other, Items | Map):
        return False
    if isinstance(other, External):
        return False if is_thing(other) else None
    if isinstance(other, Function | Class | Package | Native):
        return False
    if isinstance(other, Object) and plain.value is None:
        return False
    return None


def _equal_member(plain: Known, member: Object) -> bool | None:
    kinds = {one.name.rpartition(".")[2] for one in (member.cls.line if member.cls else ()) if isinstance(one, External)}
    if not kinds & {"str", "StrEnum", "int", "IntEnum", "ExplicitEnum"}:
        return False
    return equal(member.attributes.get("value", ABSENT), plain)


def _equal_items(left: Items, right: Items, depth: int) -> bool | None:
    if left is right:
        return True
    if left.more is not None or right.more is not None or left.kind != right.kind or left.kind not in ("list", "tuple"):
        return None
    if len(left.items) != len(right.items):
        return False
    found = [
        True if one is other else compared(ast.Eq(), one, other, depth + 1) for one, other in zip(left.items, right.items, strict=True)
    ]
    return False if False in found else None if None in found else True


def _own_equality(value: Object) -> bool:
    return value.cls is None or value.cls.find("__eq__") is not None


def _equal_maps(left: Map, right: Map, depth: int) -> bool | None:
    plain = all(one.rest is None and one.root is None and not any(map(perhaps_absent, one.items.values())) for one in (left, right))
    if not plain or any(isinstance(key, Value) for key in (*left.items, *right.items)):
        return None
    if left.items.keys() != right.items.keys():
        return False
    found = [compared(ast.Eq(), one, right.items[key], depth + 1) for key, one in left.items.items()]
    return False if False in found else None if None in found else True


def contains(whole: Value, part: Value) -> bool | None:
    """``part in whole``."""
    if isinstance(whole, Items):
        found = [compared(ast.Eq(), part, one) for one in whole.items]
        if True in found:
            return True
        return False if whole.more is None and None not in found else None
    if isinstance(whole, Map):
        key = key_of(part)
        if key is ABSENT:
            return None
        if key in whole.items:
            return None if perhaps_absent(whole.items[key]) else True
        return False if whole.rest is None else None
    if isinstance(whole, Known) and isinstance(part, Known) and isinstance(whole.value, str | bytes):
        if marked(whole.value) or marked(part.value):
            return None
        try:
            return part.value in whole.value  # type: ignore[operator]
        except TypeError:
            return None
    return None


def _all_agree(found: list[bool | None]) -> bool | None:
    return found[0] if found and all(one is found[0] for one in found) else None
