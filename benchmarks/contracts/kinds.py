"""What a pydantic model refuses by the types of its fields: a mapping where a list belongs, a number where a text does.

Only kinds that no lax conversion takes (a text for a number may be one, a number for a text is none), only for fields that no validator
changes. Each kind is tried on the real class by itself; those that it refused are one row.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from .code import Class, Module, Release
from .core import is_enumeration
from .fields import Field, union_of
from .formulas import literal, path_of
from .state import Certified, Row

SAMPLES: Mapping[str, Any] = {"str": "zz", "int": 7, "float": 0.5, "list": ["zz"], "dict": {"zz": 1}}
_NUMBERS = frozenset({"str", "int", "float"})
_TAKEN = {
    "str": {"str"},
    "int": _NUMBERS,
    "float": _NUMBERS,
    "bool": _NUMBERS,
    "PositiveInt": _NUMBERS,
    "list": {"list"},
    "List": {"list"},
    "set": {"list"},
    "tuple": {"list"},
    "dict": {"dict"},
    "Dict": {"dict"},
}


def rows(release: Release, fields: Mapping[str, Field], changed: Collection[str]) -> Iterator[Row]:
    """A row for each field and kind that its type does not take."""
    for name, field in fields.items():
        module = release.module(field.path.removesuffix(".py").replace("/", "."))
        if not field.type or name in changed or module is None:
            continue
        taken = _taken(release, module, ast.parse(field.type, mode="eval").body)
        for kind in SAMPLES if taken else ():
            if kind not in taken:
                when = ast.Call(ast.Name("isinstance", ast.Load()), [path_of(name), ast.Constant(kind)], [])
                yield Row(when, "type", field.path, field.line, field.line, field.owner, "ValidationError")


def _taken(release: Release, module: Module, annotation: ast.expr) -> frozenset[str]:
    """Empty where a part of the type is not known."""
    found: set[str] = set()
    for one in union_of(annotation):
        text = ast.unparse(one.value if isinstance(one, ast.Subscript) else one).rpartition(".")[2]
        if text == "None":
            continue
        if text == "Literal" and isinstance(one, ast.Subscript):
            values = one.slice.elts if isinstance(one.slice, ast.Tuple) else [one.slice]
            found |= {kind for each in values for kind in ({"str"} if isinstance(literal(each)[1], str) else _NUMBERS)}
            continue
        named = release.named(module, text)
        if text in _TAKEN:
            found |= _TAKEN[text]
        elif isinstance(named, Class):
            members = [literal(one)[1] for one in named.members.values()]
            found |= ({"str"} if all(isinstance(one, str) for one in members) else _NUMBERS) if is_enumeration(release, named) else {"dict"}
        else:
            return frozenset()
    return frozenset(found)


def sample(row: Row) -> dict[str, Any]:
    """The config that proves it."""
    assert isinstance(row.when, ast.Call)
    return {ast.unparse(row.when.args[0]): SAMPLES[literal(row.when.args[1])[1]]}


def together(proved: list[Certified]) -> list[Certified]:
    """The rows of one field as one."""
    found: dict[str, list[Certified]] = {}
    for one in proved:
        if one.row.kind == "type":
            found.setdefault(ast.unparse(one.row.when.args[0]), []).append(one)  # type: ignore[attr-defined]
    merged = [one for one in proved if one.row.kind != "type"]
    for name, each in found.items():
        kinds = [one.row.when.args[1] for one in each]  # type: ignore[attr-defined]
        first = each[0].row
        when = ast.Call(ast.Name("isinstance", ast.Load()), [path_of(name), *kinds], [])
        row = Row(when, "type", first.path, first.line, first.end_line, first.owner, first.raised)
        merged.append(Certified(row, each[0].stage, each[0].refused, each[0].taken))
    return merged
