"""What an annotation of the program says of a word: its type, the values that it allows. Sources: typer 0.9 to 0.29 ``main.py``
get_click_type;
tyro 0.8 to 1.0 ``_primitive_spec.py`` (unions are tried in order)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from budgetlint.program.ends import Dead
from budgetlint.program.enumeration import is_enum
from budgetlint.program.imports import lookup
from budgetlint.program.objects import Class
from budgetlint.program.state import Interpreter
from budgetlint.program.values import Known, Names, Opaque, Value

_LONGEST = 2_000
_LISTS = frozenset({"List", "list", "Sequence", "Iterable", "Set", "set", "Tuple", "tuple"})
TRUE_WORDS, FALSE_WORDS = frozenset({"1", "true", "t", "yes", "y", "on"}), frozenset({"0", "false", "f", "no", "n", "off"})


class Shape(NamedTuple):
    """``kinds``: what it may be (``int``, ``float``, ``str``, ``bool``, ``None``, ``Path``, ``literal``, ``enum``, empty for what is not
    known).

    ``several``: a list of them, ``tuple`` where it is one. ``values``: of ``Literal``. ``cls``: a class of the repository. ``metadata``:
    the
    further arguments of ``Annotated``.
    """

    kinds: tuple[str, ...]
    several: str = ""
    values: tuple[object, ...] = ()
    cls: Class | None = None
    metadata: tuple[ast.expr, ...] = ()

    @property
    def is_flag(self) -> bool:
        return not self.several and self.kinds == ("bool",)


def shape_of(it: Interpreter, annotation: ast.expr | None, names: Names) -> Shape:
    """What an annotation means."""
    if annotation is None:
        return Shape(("",))
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value[:_LONGEST], mode="eval").body
        except SyntaxError:
            return Shape(("",))
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return _union([shape_of(it, one, names) for one in (annotation.left, annotation.right)])
    if isinstance(annotation, ast.Subscript):
        return _subscript(it, annotation, names)
    if isinstance(annotation, ast.Constant) and annotation.value is None:
        return Shape(("None",))
    return _plain(it, annotation, names)


def _plain(it: Interpreter, annotation: ast.expr, names: Names) -> Shape:
    last = ast.unparse(annotation).rpartition(".")[2]
    if last in _LISTS:
        return Shape(("",), "tuple" if last in {"Tuple", "tuple"} else "list")
    found = _named(it, annotation, names)
    if isinstance(found, Class):
        return Shape(("enum" if is_enum(found) else "class",), cls=found)
    return Shape((last if last in {"int", "float", "str", "bool", "Path", "None"} else "",))


def _named(it: Interpreter, annotation: ast.expr, names: Names) -> Value | None:
    if isinstance(annotation, ast.Attribute):
        base = _named(it, annotation.value, names)
        return base.attributes.get(annotation.attr) if isinstance(base, Class) else None
    try:
        return lookup(it, annotation.id, names) if isinstance(annotation, ast.Name) else None
    except Dead:
        return None


def _subscript(it: Interpreter, annotation: ast.Subscript, names: Names) -> Shape:
    last = ast.unparse(annotation.value).rpartition(".")[2]
    parts = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
    if last == "Annotated":
        return shape_of(it, parts[0], names)._replace(metadata=tuple(parts[1:]))
    if last == "Literal":
        return Shape(("literal",), values=tuple(one.value if isinstance(one, ast.Constant) else one for one in parts))
    inner = [shape_of(it, one, names) for one in parts if not (isinstance(one, ast.Constant) and one.value is ...)]
    if last in {"Optional", "Union"}:
        return _union([*inner, *([Shape(("None",))] if last == "Optional" else [])])
    if last in _LISTS and len(inner) == 1 and not inner[0].several and not (last in {"Tuple", "tuple"} and len(parts) == 1):
        return inner[0]._replace(several="tuple" if last in {"Tuple", "tuple"} else "set" if last in {"Set", "set"} else "list")
    return Shape(("",), "list" if last in _LISTS else "")


def _union(shapes: Sequence[Shape]) -> Shape:
    several = next((one.several for one in shapes if one.several), "")
    if several and len([one for one in shapes if one.kinds != ("None",)]) > 1:
        return Shape(("",), several)
    values = tuple(value for one in shapes for value in one.values)
    cls = next((one.cls for one in shapes if one.cls is not None), None)
    return Shape(tuple(dict.fromkeys(kind for one in shapes for kind in one.kinds)), several, values, cls)


def number(kind: type[int] | type[float], word: Known) -> Value | None:
    """A word as a number; None where it is none."""
    try:
        return Known(kind(str(word.value)), word.origins)
    except (ValueError, OverflowError):
        return None


def truth_word(word: Known) -> Value | None:
    """A word as click reads a truth value."""
    text = str(word.value).strip().lower()
    return Known(text in TRUE_WORDS, word.origins) if text in TRUE_WORDS | FALSE_WORDS else None


def literal(shape: Shape, word: Known) -> Value | None:
    """The value of a ``Literal`` that is written so."""
    found = next((one for one in shape.values if str(one) == word.value), shape)
    return None if found is shape else Known(found, word.origins)  # type: ignore[arg-type]


def unknown(word: Value) -> Value:
    return Opaque("a word that is read in a way that is not known", origins=word.origins)
