"""`tyro.cli`: a function or dataclass whose parameters are flags (tyro 0.8 to 1.0 ``_cli.py``, ``_arguments.py``, ``_backends``).

Dashes and underscores are one, nothing is abbreviated; fields of an inner dataclass are ``--outer.inner``, a truth value with a default is
``--x`` and ``--no-x``.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from budgetlint.program.calling import Call
from budgetlint.program.dataclass import Field, default_of, fields_of, is_dataclass
from budgetlint.program.ends import Dead
from budgetlint.program.functions import parameters
from budgetlint.program.objects import Class, Function, Handler, Native, Object
from budgetlint.program.operators import made_of
from budgetlint.program.packages.parsers.annotations import Shape, literal, number, shape_of, unknown
from budgetlint.program.packages.parsers.hf import build
from budgetlint.program.packages.parsers.options import Option, Parsed, defaults, refuse, refuse_words, text_of_word
from budgetlint.program.packages.parsers.reading import Manners, read_words
from budgetlint.program.places import Origin, Place
from budgetlint.program.state import Interpreter
from budgetlint.program.values import ABSENT, NONE, Items, Known, Opaque, Open, Value

_MANNERS = Manners(abbreviates=False)
_DEEPEST = 6


class Leaf(NamedTuple):
    """One flag: its dotted name, what it is read as, its default."""

    name: str
    shape: Shape
    default: Value
    place: Place
    positional: bool = False


def _tyro(it: Interpreter, call: Call) -> Value:
    kind = call.get("f", 0)
    words = _words(it, call)
    if isinstance(kind, Function):
        return _function(it, kind, words, call)
    if not isinstance(kind, Class) or not is_dataclass(kind) or call.rest is not None:
        return Opaque("what tyro makes")
    leaves = leaves_of(it, kind, "", call.get("default"), 0)
    if leaves is None or call.get("config") is not None:
        return Opaque(f"what tyro makes of {kind.name}")
    given = _read(it, leaves, words, call)
    return object_of(it, kind, "", given, call)


def _words(it: Interpreter, call: Call) -> Sequence[Value] | None:
    given = call.get("args")
    if given is None or (isinstance(given, Known) and given.value is None):
        return it.launched.words
    return given.items if isinstance(given, Items) and given.more is None else (Open("word", "*"),)


def leaves_of(it: Interpreter, cls: Class, prefix: str, default: Value | None, depth: int) -> list[Leaf] | None:
    """The flags of a dataclass and those in it; None where some are made in a way that is not known."""
    found: list[Leaf] = []
    for field in fields_of(cls):
        shape = shape_of(it, field.annotation, field.owner.names)
        value = _default(it, field, default)
        if not field.init:
            continue
        if shape.kinds == ("class",) and not shape.several and shape.cls is not None and is_dataclass(shape.cls):
            inner = (
                leaves_of(it, shape.cls, f"{prefix}{field.name}.", None if value is ABSENT else value, depth + 1)
                if depth < _DEEPEST
                else None
            )
            if inner is None or shape.metadata:
                return None
            found += inner
        elif "class" in shape.kinds or shape.metadata or "tyro." in ast.unparse(field.annotation):
            return None
        else:
            found.append(Leaf(f"{prefix}{field.name}", shape, value, field.place, "Positional" in ast.unparse(field.annotation)))
    return found


def _default(it: Interpreter, field: Field, above: Value | None) -> Value:
    """The default of a field: that of the object which is the default of all."""
    if above is None:
        return default_of(it, field)
    if isinstance(above, Object):
        return above.attributes.get(field.name, ABSENT if above.rest is None else made_of(above.rest))
    return made_of(above)


def _read(it: Interpreter, leaves: Sequence[Leaf], words: Sequence[Value] | None, call: Call) -> dict[str, Value]:
    options = [_option(it, leaf) for leaf in leaves]
    off = [_off(one) for one in options if one.action == "store_true"]
    spread = [_spelled(word) for word in words or ()]
    if _reads_otherwise([*options, *off], spread):
        parsed = Parsed({}, (), True)
    else:
        parsed = read_words(it, [*options, *off, _help(it, call)], spread, _MANNERS)
    for leaf, option in zip(leaves, options, strict=True):
        if option.dest in parsed.given and option.action == "store" and option.type is None:
            parsed.given[option.dest] = _converted(it, leaf.shape, option, parsed.given[option.dest])
    foreign, left = _of_packages(options, parsed.left)
    if left and not parsed.open and any(text_of_word(word) != "--" for word in left):
        refuse_words(it, left, it.place(call.node, call.frame), [flag for option in options for flag in option.flags])
    return {**dict(defaults(it, options, parsed, words is not None)), **foreign}


def _reads_otherwise(options: Sequence[Option], words: Sequence[Value]) -> bool:
    """``--switch=x`` and ``--name=--x``: argparse's until 0.9, two words since 1.0 (``_backends/_tyro_backend.py``)."""
    switches = {flag for option in options if option.takes_none for flag in option.flags}
    pairs = [text_of_word(word).partition("=") for word in words if text_of_word(word).startswith("--")]
    return any(equals and (name in switches or value.startswith("--")) for name, equals, value in pairs)


def _of_packages(options: Sequence[Option], left: Sequence[Value]) -> tuple[dict[str, Value], list[Value]]:
    """Flags of fields whose class is of a package (``--peft_config.r``): what such a field is, is open then. The others."""
    opened: dict[str, Value] = {}
    others: list[Value] = []
    mine = False
    for word in left:
        text = text_of_word(word)
        if text.startswith("--"):
            owner = next((one for one in options if any(text.startswith(f"{flag}.") for flag in one.flags)), None)
            mine = owner is not None
            if owner is not None:
                opened[owner.dest] = Open("flag", text.partition("=")[0], word.origins)
        if not mine:
            others.append(word)
    return opened, others


def _help(it: Interpreter, call: Call) -> Option:
    return Option("", ("-h", "--help"), NONE, it.place(call.node, call.frame), "help")


def _spelled(word: Value) -> Value:
    """A flag as it is compared: underscores are dashes."""
    text = text_of_word(word)
    if not isinstance(word, Known) or not text.startswith("--"):
        return word
    name, equals, value = text.partition("=")
    return Known(f"{name.replace('_', '-')}{equals}{value}", word.origins)


def _option(it: Interpreter, leaf: Leaf) -> Option:
    shape = leaf.shape
    flags = () if leaf.positional else (f"--{leaf.name.replace('_', '-')}",)
    if shape.is_flag and leaf.default is not ABSENT and not leaf.positional:
        return Option(leaf.name, flags, leaf.default, leaf.place, "store_true")
    # words of a closed set are looked up as they are met, others converted when all are read
    closed = set(shape.kinds) <= {"bool", "literal", "enum", "None"}
    convert = Native("a word by its annotation", lambda it, call: _by_shape(it, shape, call.positional[0])) if closed else None
    nargs = "*" if shape.several else "?" if leaf.positional and leaf.default is not ABSENT else ""
    default = leaf.default if leaf.default is not ABSENT else NONE
    return Option(leaf.name, flags, default, leaf.place, "store", nargs, convert, required=leaf.default is ABSENT)


def _off(option: Option) -> Option:
    owner, dot, name = option.flags[0][2:].rpartition(".")
    return Option(option.dest, (f"--{owner}{dot}no-{name}",), option.default, option.place, "store_false")


def _converted(it: Interpreter, shape: Shape, option: Option, value: Value) -> Value:
    """The words that were given last, converted when all are read."""
    words = value.items if isinstance(value, Items) else (value,)
    try:
        made = [_by_shape(it, shape, one) for one in words]
    except Dead:
        origin = next((origin for one in words for origin in one.origins), Origin("option", option.place, option.dest))
        return refuse(it, option, f"does not take {' '.join(map(text_of_word, words))!r}", origin)
    return Items(made, value.kind, value.more, value.origins) if isinstance(value, Items) else made[0]


def _by_shape(it: Interpreter, shape: Shape, word: Value) -> Value:
    if not isinstance(word, Known):
        return word
    for kind in shape.kinds:
        found = _as(it, kind, shape, word)
        if found is not None:
            return found
    raise Dead


def _as(it: Interpreter, kind: str, shape: Shape, word: Known) -> Value | None:
    """A word as one kind of an annotation; None where it is none of it."""
    text = str(word.value)
    if kind in {"int", "float"}:
        return number(int if kind == "int" else float, word)
    if kind == "bool":
        return Known(text == "True", word.origins) if text in {"True", "False"} else None
    if kind == "None":
        return Known(None, word.origins) if text == "None" else None
    if kind == "str":
        return word
    if kind == "literal":
        return literal(shape, word)
    return unknown(word)


def object_of(it: Interpreter, cls: Class, prefix: str, given: dict[str, Value], call: Call) -> Value:
    fields: dict[str, Value] = {}
    for field in fields_of(cls):
        if not field.init:
            continue
        name = f"{prefix}{field.name}"
        inner = shape_of(it, field.annotation, field.owner.names)
        if name in given:
            fields[field.name] = _kept(inner, given[name])
        elif inner.cls is not None:
            fields[field.name] = object_of(it, inner.cls, f"{name}.", given, call)
    return build(it, cls, fields, {}, False, call)


def _kept(shape: Shape, value: Value) -> Value:
    """A tuple of words, where the annotation says so."""
    return Items(value.items, shape.several, value.more, value.origins) if shape.several and isinstance(value, Items) else value


# functions


def _function(it: Interpreter, function: Function, words: Sequence[Value] | None, call: Call) -> Value:
    spec = function.node.args
    alone = {one.arg for one in spec.posonlyargs}
    leaves = [_parameter(it, function, one, one.arg in alone) for one in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
    if spec.vararg or spec.kwarg or any("class" in one.shape.kinds or one.shape.metadata for one in leaves):
        return _opened(it, function, call)
    given = _read(it, leaves, words, call)
    values = {leaf.name: _kept(leaf.shape, given[leaf.name]) for leaf in leaves if leaf.name in given}
    positional = tuple(values.pop(name) for name in parameters(function) if name in alone)
    return it.call(function, call._replace(positional=positional, keywords=values, rest=None))


def _parameter(it: Interpreter, function: Function, one: ast.arg, alone: bool) -> Leaf:
    place = Place(function.names.module.path, one.lineno, one)
    default = function.defaults.get(one.arg, ABSENT)
    if isinstance(default, Known):
        default = Known(default.value, (Origin("option", place, one.arg), *default.origins[:1]))
    return Leaf(one.arg, shape_of(it, one.annotation, function.names), default, place, alone)


def _opened(it: Interpreter, function: Function, call: Call) -> Value:
    """A function whose flags are not all known: any argument may be given."""
    return it.call(function, call._replace(positional=(), keywords={}, rest=Open("flag", "*")))


FUNCTIONS: dict[str, Handler] = {"tyro.cli": _tyro}
