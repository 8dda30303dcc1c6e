"""`datargs`: a parser of a dataclass's fields, ``--with-dashes`` each (datargs 0.11 to 1.1 ``make.py``).

A truth value is a switch that turns its default round; an enumeration is named by its member.
"""

from __future__ import annotations

import ast

from budgetlint.program.calling import Call
from budgetlint.program.dataclass import Field, default_of, fields_of, is_dataclass
from budgetlint.program.objects import Class, Handler
from budgetlint.program.packages.parsers.annotated import plain, reader, switch, values_of, words_of
from budgetlint.program.packages.parsers.annotations import shape_of
from budgetlint.program.packages.parsers.hf import build
from budgetlint.program.packages.parsers.options import Option
from budgetlint.program.state import Interpreter
from budgetlint.program.values import ABSENT, NONE, Known, Opaque, Value

_PLAIN = frozenset({"str", "int", "float", "bool", "Path", "literal", "enum"})
_ALLOWED = frozenset({"default", "help", "metavar", "default_factory", "repr", "init", "compare", "hash"})
"""What ``arg(...)`` and ``field(...)`` may say here; more (``nargs``, ``choices``, ``positional``) makes another option of it."""


def _parse(it: Interpreter, call: Call) -> Value:
    cls = call.get("cls", 0)
    if not isinstance(cls, Class) or not is_dataclass(cls) or call.rest is not None or call.get("parser") is not None:
        return Opaque("what datargs makes")
    options = [_option(it, field) for field in fields_of(cls)]
    made = [one for one in options if one is not None]
    if len(made) < len(options):
        return Opaque(f"what datargs makes of {cls.name}")
    return build(it, cls, values_of(it, made, words_of(it, call.get("args", 1)), call), {}, False, call)


def _option(it: Interpreter, field: Field) -> Option | None:
    """The option of a field; None where it is made in a way that is not known."""
    shape, default = shape_of(it, field.annotation, field.owner.names), default_of(it, field)
    flags = _flags(field)
    if flags is None or plain(shape) not in _PLAIN or not field.init:
        return None
    option = Option(field.name, flags, default, field.place, type=reader(shape), required=default is ABSENT or field.factory is not None)
    if "None" in shape.kinds:  # ``union_arg`` puts None in the place of every default
        return option._replace(default=NONE, required=False) if _is_none(default) and plain(shape) != "bool" else None
    if shape.several:
        return _several(option, field)
    if plain(shape) == "bool":
        return switch(option, default) if field.factory is None else None
    return option._replace(required=False) if _is_none(default) else option


def _several(option: Option, field: Field) -> Option:
    """``sequence_arg``: one word at least where the field has no default of its own (one of a factory is none to it)."""
    return option._replace(nargs="+" if option.required else "*", required=option.required)


def _is_none(default: Value) -> bool:
    return isinstance(default, Known) and default.value is None


def _flags(field: Field) -> tuple[str, ...] | None:
    """Its flag, then its aliases, which ``arg`` is given by position."""
    settings = field.settings
    words = {one.arg for one in settings.keywords} if settings is not None else set()
    aliases = [one.value if isinstance(one, ast.Constant) else None for one in settings.args] if settings is not None else []
    if words - _ALLOWED or not all(isinstance(one, str) and one.startswith("-") for one in aliases):
        return None
    return (f"--{field.name.replace('_', '-')}", *map(str, aliases))


FUNCTIONS: dict[str, Handler] = {"datargs.parse": _parse}
