"""What a model of pydantic makes of the values of its fields: mappings become the models that annotations name, texts become numbers. A
number outside of the bounds of ``Field(ge=…)`` stops the program, and a key without a field where the model says ``extra="forbid"``.

Source: pydantic 2.11 ``main.py`` BaseModel, ``fields.py`` Field, and its documentation "Conversion Table" (a text of digits is taken for
``int`` and ``float``); pydantic 1.10 ``main.py``, ``fields.py`` do the same. Both raise a ``ValidationError``, which is a ``ValueError``.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from budgetlint.program.calling import Call, Frame
from budgetlint.program.functions import decorator_word
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.misfits import OUTSIDE, is_sure, origin_of
from budgetlint.program.objects import Class
from budgetlint.program.packages.parsers.options import refused
from budgetlint.program.state import Interpreter, name_of
from budgetlint.program.subscripts import of_map
from budgetlint.program.value_errors import FAILS
from budgetlint.program.values import Items, Known, Map, Value
from budgetlint.program.wording import words

if TYPE_CHECKING:
    from budgetlint.program.dataclass import Field  # a field of a model is one of a class with annotations, which asks what it is given

_BOUNDS: dict[str, tuple[Callable[[Any, Any], bool], str]] = {
    "ge": (operator.ge, ">="),
    "gt": (operator.gt, ">"),
    "le": (operator.le, "<="),
    "lt": (operator.lt, "<"),
}
_BEFORE = frozenset({"field_validator", "model_validator", "validator", "root_validator"})
_NUMBERS: dict[str, type[int] | type[float]] = {"int": int, "float": float}


def is_model(cls: Value) -> bool:
    return isinstance(cls, Class) and any(name_of(one) == "pydantic.BaseModel" for one in cls.line)


def validated(it: Interpreter, field: Field, value: Value, call: Call) -> Value:
    """The value that a field of a model has where this one is given."""
    kind = _plain(field.annotation)
    if kind is None:
        return value
    if isinstance(kind, ast.Subscript):
        return _each(it, field, value, call, kind)
    if isinstance(value, Map):
        model = it.evaluate(kind, Frame(field.owner.names)) if isinstance(kind, ast.Name | ast.Attribute) else None
        return _nested(it, model, value, call) if isinstance(model, Class) and is_model(model) else value
    if isinstance(value, Known) and isinstance(kind, ast.Name) and not _is_changed_before(field.owner):
        value = _number(value, kind.id)
        _bounded(it, field, value, call)
    return value


def _plain(annotation: ast.expr) -> ast.expr | None:
    """``X`` of ``X``, ``Optional[X]`` and ``X | None``; ``list[X]`` as it is. None where it is something else."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except (SyntaxError, ValueError):
            return None
    if isinstance(annotation, ast.Subscript) and decorator_word(annotation.value) == "Optional":
        return annotation.slice
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        sides = [one for one in (annotation.left, annotation.right) if not (isinstance(one, ast.Constant) and one.value is None)]
        return sides[0] if len(sides) == 1 else None
    if isinstance(annotation, ast.Subscript):
        return annotation if decorator_word(annotation.value) in ("list", "List") else None
    return annotation if isinstance(annotation, ast.Name | ast.Attribute) else None


def _each(it: Interpreter, field: Field, value: Value, call: Call, kind: ast.Subscript) -> Value:
    """A list of mappings, where the field is a list of models."""
    if not isinstance(value, Items) or not any(isinstance(one, Map) for one in value.items):
        return value
    model = it.evaluate(kind.slice, Frame(field.owner.names)) if isinstance(kind.slice, ast.Name | ast.Attribute) else None
    if not isinstance(model, Class) or not is_model(model):
        return value
    made = [_nested(it, model, one, call) if isinstance(one, Map) else one for one in value.items]
    return Items(made, value.kind, value.more, value.origins)


def _nested(it: Interpreter, model: Class, value: Map, call: Call) -> Value:
    given = {key: of_map(value, key) for key in value.items if isinstance(key, str)}
    return it.call(model, Call((), given, value.rest, call.node, call.frame))


def _number(value: Known, kind: str) -> Known:
    made = _NUMBERS.get(kind)
    if made is None or isinstance(value.value, bool) or not isinstance(value.value, str if made is int else str | int):
        return value
    try:
        return Known(made(value.value), value.origins)
    except (ValueError, OverflowError):
        return value


def _bounded(it: Interpreter, field: Field, value: Known, call: Call) -> None:
    """Tells a number that the field refuses, where somebody outside of the program wrote it and nothing could catch the error."""
    number, written = value.value, field.settings.keywords if field.settings is not None else ()
    if not isinstance(number, int | float) or isinstance(number, bool) or origin_of(value) is None or not _is_told(it):
        return
    for one in written:
        if one.arg not in _BOUNDS:
            continue
        bound = it.evaluate(one.value, Frame(field.owner.names))
        holds, sign = _BOUNDS[one.arg]
        if isinstance(bound, Known) and isinstance(bound.value, int | float) and not holds(number, bound.value):
            because = tuple(origin for origin in value.origins if origin.kind in OUTSIDE)
            why = f"ValidationError in {field.owner.name}: {field.name} is {number!r}, and must be {sign} {bound.value!r}"
            refused(it, field.place, why, because, "ValueError", FAILS)
            return


def refuse_others(it: Interpreter, cls: Class, others: dict[str, Value], call: Call) -> None:
    """Tells keys that a model has no field for, and forbids."""
    if not _forbids(cls) or _has_aliases(cls) or _is_changed_before(cls) or not _is_told(it):
        return
    for name, value in others.items():
        origin = origin_of(value)
        if origin is not None and not perhaps_absent(value):
            why = f"ValidationError in {cls.name}: it forbids keys without a field, and has none for {name}"
            refused(it, it.place(call.node, call.frame), why, (origin,), "ValueError", FAILS)
            return


def _forbids(cls: Class) -> bool:
    """By ``class X(BaseModel, extra=…)``, ``model_config`` or ``class Config``; the first class that says it counts."""
    for one in cls.line:
        said = [value for value in _extra(one.node) if value] if isinstance(one, Class) else []
        if said:
            return said == ["forbid"]
    return False


def _extra(node: ast.ClassDef) -> Iterator[str]:
    for keyword in node.keywords:
        yield _word(keyword.value) if keyword.arg == "extra" else ""
    for one in node.body:
        if isinstance(one, ast.ClassDef) and one.name == "Config":
            yield from (_word(line.value) for line in one.body if isinstance(line, ast.Assign) and words(line.targets[0]) == "extra")
        elif isinstance(one, ast.Assign) and words(one.targets[0]) == "model_config":
            yield from (_word(value) for key, value in _entries(one.value) if key == "extra")


def _entries(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Of ``ConfigDict(extra=…)``, or of a dict."""
    if isinstance(node, ast.Call):
        yield from ((one.arg or "", one.value) for one in node.keywords)
    elif isinstance(node, ast.Dict):
        yield from ((_word(key), value) for key, value in zip(node.keys, node.values, strict=True) if key is not None)


def _word(node: ast.expr) -> str:
    """``"forbid"``, or ``Extra.forbid`` of pydantic 1; a mark where it is worked out."""
    return str(node.value) if isinstance(node, ast.Constant) else node.attr if isinstance(node, ast.Attribute) else "?"


def _has_aliases(cls: Class) -> bool:
    nodes = (node for one in cls.line if isinstance(one, Class) for node in ast.walk(one.node))
    return any("alias" in (node.arg or "") for node in nodes if isinstance(node, ast.keyword))


def _is_told(it: Interpreter) -> bool:
    return is_sure(it, "ValueError") and not any("ValidationError" in name for names in it.tries for name in names)


def _is_changed_before(cls: Class) -> bool:
    """May a function of the class make another value of it before it is looked at?"""
    bodies = (node for one in cls.line if isinstance(one, Class) for node in one.node.body)
    marks = (mark for node in bodies if isinstance(node, ast.FunctionDef) for mark in node.decorator_list)
    return any(isinstance(mark, ast.Call) and decorator_word(mark.func) in _BEFORE and _is_early(mark) for mark in marks)


def _is_early(mark: ast.Call) -> bool:
    told = [one.value for one in mark.keywords if one.arg in ("mode", "pre")]
    return any(not isinstance(one, ast.Constant) or one.value not in ("after", False) for one in told)
