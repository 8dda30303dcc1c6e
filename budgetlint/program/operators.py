"""Arithmetic on what is known. The sizes of results are bounded: the text comes from anybody."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from budgetlint.program.calling import Call, Frame
from budgetlint.program.choices import alternatives, both, choice, origins_of
from budgetlint.program.ends import Dead
from budgetlint.program.objects import Function, Object
from budgetlint.program.path_ends import SLASH, with_end
from budgetlint.program.state import Interpreter
from budgetlint.program.values import ABSENT, Choice, Items, Known, Map, Opaque, Open, Plain, Value, Way

_MOST_PAIRS = 16
MOST_CHARACTERS, MOST_ITEMS, _MOST_BITS = 100_000, 1_000, 4_096

_BINARY: dict[type[ast.operator], Callable[[object, object], object]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.Pow: operator.pow, ast.BitOr: operator.or_, ast.BitAnd: operator.and_, ast.BitXor: operator.xor,
    ast.LShift: operator.lshift, ast.RShift: operator.rshift,
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], Callable[[Any], object]] = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}


def binary(op: ast.operator, left: Value, right: Value) -> Value:
    """``left op right``."""
    pairs = [(both(one.when, other.when), one.value, other.value) for one in alternatives(left) for other in alternatives(right)]
    pairs = [one for one in pairs if one[1] is not ABSENT and one[2] is not ABSENT]
    if not pairs or len(pairs) > _MOST_PAIRS:
        return made_of(left, right)
    found: list[Way] = []
    refused = Dead("TypeError")
    for when, one, other in pairs:
        try:
            found.append(Way(when, _binary(op, one, other)))
        except Dead as end:
            refused = end
    if not found:
        raise refused
    return choice(found)


def operated(it: Interpreter, node: ast.BinOp | ast.AugAssign, left: Value, right: Value, frame: Frame) -> Value:
    """The same in a program: by the method of a class of the repository, if it has one."""
    name = METHODS.get(type(node.op), "")
    method = left.cls.find(f"__{name}__") if isinstance(left, Object) and left.cls is not None else None
    if isinstance(method, Function):
        return it.call(method.of(left), Call((right,), {}, None, node, frame))
    method = right.cls.find(f"__r{name}__") if isinstance(right, Object) and right.cls is not None else None
    if isinstance(method, Function):
        return it.call(method.of(right), Call((left,), {}, None, node, frame))
    if isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod) and not all(isinstance(way.value, Known) for way in alternatives(right)):
        it.may_fail("ZeroDivisionError")
    return binary(node.op, left, right)


METHODS: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow",
    ast.BitOr: "or", ast.BitAnd: "and", ast.BitXor: "xor", ast.LShift: "lshift", ast.RShift: "rshift", ast.MatMult: "matmul",
}  # fmt: skip


def _binary(op: ast.operator, left: Value, right: Value) -> Value:
    if isinstance(left, Known) and isinstance(right, Known):
        return plain(op, left, right)
    if isinstance(left, Items) and isinstance(op, ast.Add) and isinstance(right, Items) and left.kind == right.kind:
        return extended(left, right)
    if isinstance(op, ast.Mult) and isinstance(left, Items) and isinstance(right, Known):
        return _times(left, right.value)
    if isinstance(op, ast.Mult) and isinstance(right, Items) and isinstance(left, Known):
        return _times(right, left.value)
    if isinstance(left, Map) and isinstance(right, Map) and isinstance(op, ast.BitOr):
        origins = tuple(dict.fromkeys((*left.origins, *(one for one in right.origins if one.kind == "config"))))
        both = Map({**left.items, **right.items}, right.rest if right.rest is not None else left.rest, origins)
        return both if right.rest is None else made_of(left, right)
    if isinstance(left, Known) and isinstance(left.value, str) and isinstance(op, ast.Mod) and isinstance(right, Items):
        return _formatted(left, right)
    if isinstance(left, Items | Map) and isinstance(right, Known) and not isinstance(op, ast.Mult):
        raise Dead("TypeError")
    made = made_of(left, right)
    if isinstance(op, ast.Add):
        return with_end(made, (left, right))
    is_path = isinstance(op, ast.Div) and isinstance(right, Known) and isinstance(right.value, str | PurePosixPath)
    return with_end(made, (left, SLASH, right)) if is_path else made


def extended(left: Items, right: Value) -> Items:
    """A list and what is added to it."""
    if isinstance(right, Items) and right.kind != "set" and len(left.items) + len(right.items) <= MOST_ITEMS:
        more = left.more if left.more is not None else right.more
        added = right.items if left.more is None else ()
        return Items((*left.items, *added), left.kind, more, origins_of([left, right]))
    return Items(left.items, left.kind, Opaque("a list to which something not known was added"), left.origins)


def _times(items: Items, count: Plain) -> Value:
    if isinstance(count, int) and items.more is None and 0 <= count * len(items.items) <= MOST_ITEMS:
        return Items(items.items * count, items.kind, None, items.origins)
    return Items((), items.kind, Opaque("a list of a length that is not known"), items.origins)


def _formatted(left: Known, right: Items) -> Value:
    parts = [one.value if isinstance(one, Known) else ABSENT for one in right.items]
    text = str(left.value)
    if right.more is not None or ABSENT in parts or right.kind != "tuple" or any(digit.isdigit() or digit == "*" for digit in text):
        return made_of(left, right)
    try:
        return Known((text % tuple(parts))[:MOST_CHARACTERS], origins_of([left, right]))
    except (TypeError, ValueError):
        return Opaque("a text that cannot be formatted")


def plain(op: ast.operator, left: Known, right: Known) -> Value:
    """Two scalars. What Python refuses ends the way."""
    one, other = left.value, right.value
    if isinstance(one, PurePosixPath) or isinstance(other, PurePosixPath):
        return _path(op, one, other, left, right)
    if not _small(op, one, other):
        return Opaque("a number or text too large to work out")
    try:
        found = _BINARY[type(op)](one, other)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise Dead(type(error).__name__) from None
    except KeyError:
        return Opaque("an operation that is not followed")
    return Known(found, origins_of([left, right])) if isinstance(found, str | bytes | int | float | complex) else Opaque("an operation")


def _path(op: ast.operator, one: Plain, other: Plain, left: Known, right: Known) -> Value:
    if isinstance(op, ast.Div) and isinstance(one, str | PurePosixPath) and isinstance(other, str | PurePosixPath):
        return Known(PurePosixPath(one) / PurePosixPath(other), origins_of([left, right]))
    return Opaque("an operation on a path")


def _small(op: ast.operator, one: Plain, other: Plain) -> bool:
    sizes = [len(text) for text in (one, other) if isinstance(text, str | bytes)]
    numbers = [number for number in (one, other) if isinstance(number, int)]
    if any(number.bit_length() > _MOST_BITS for number in numbers) or sum(sizes) > MOST_CHARACTERS:
        return False
    if isinstance(op, ast.Mod) and sizes and isinstance(one, str):
        return not any(digit.isdigit() or digit == "*" for digit in one)
    if isinstance(op, ast.Mult) and sizes:
        return all(sizes[0] * abs(number) <= MOST_CHARACTERS for number in numbers)
    if isinstance(op, ast.Pow | ast.LShift):
        return (
            not isinstance(other, int)
            or not isinstance(one, int)
            or (abs(other) <= _MOST_BITS and one.bit_length() * abs(other) <= _MOST_BITS * 4)
            or (isinstance(op, ast.LShift) and 0 <= other <= _MOST_BITS)
        )
    return True


def unary(op: ast.unaryop, operand: Value) -> Value:
    """``-x``, ``~x``; ``not`` is a condition."""
    if isinstance(operand, Choice):
        return choice(Way(way.when, unary(op, way.value)) for way in operand.ways)
    if isinstance(operand, Known) and isinstance(operand.value, int | float | complex):
        try:
            return Known(_UNARY[type(op)](operand.value), operand.origins)  # type: ignore[arg-type]
        except (TypeError, KeyError):
            return Opaque("an operation that Python refuses")
    return made_of(operand)


def made_of(*values: Value) -> Value:
    """A value that was made of others, one of which is not known: the first such says why."""
    for value in values:
        for way in alternatives(value):
            if isinstance(way.value, Open):
                return Opaque(f"made of {way.value.kind} {way.value.name}", origins=origins_of(values))
            if isinstance(way.value, Opaque):
                return Opaque(way.value.why, way.value.of, way.value.package, origins_of(values))
    return Opaque("made of what is not followed", origins=origins_of(values))
