"""Typed argument parsers: ``class Args(Tap)`` whose annotations are flags, read by ``Args().parse_args()`` (typed-argument-parser 1.7 to
1.12 ``tap.py``).

A truth value with a default is a switch that turns it round, an optional one takes a word; ``configure`` adds flags of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

from budgetlint.program.calling import Call
from budgetlint.program.ends import Dead
from budgetlint.program.objects import Class, Function, Handler, Native, Object
from budgetlint.program.operators import made_of
from budgetlint.program.packages.parsers.annotated import plain, reader, switch, values_of, words_of
from budgetlint.program.packages.parsers.annotations import Shape, shape_of
from budgetlint.program.packages.parsers.options import Option
from budgetlint.program.places import Origin, Place
from budgetlint.program.state import Interpreter, text_of
from budgetlint.program.truth import truth
from budgetlint.program.values import ABSENT, FALSE, NONE, Items, Known, Map, Opaque, Open, Value

TAP = "tap.Tap"
_PLAIN = frozenset({"str", "int", "float", "bool", "Path", "literal"})
_TOLD = frozenset({"help", "metavar"})
"""What ``add_argument`` may say that changes no value; of other words the option is not known."""
_OPEN = Opaque("an argument of a Tap")


class _Variable(NamedTuple):
    """An annotation of the class."""

    name: str
    shape: Shape
    default: Value
    place: Place


def _made(it: Interpreter, call: Call) -> Value:
    """A parser that has read nothing yet; its settings are those that it is given."""
    one = Object(TAP)
    one.attributes["underscores_to_dashes"] = call.get("underscores_to_dashes", 0) or FALSE
    given = set(call.keywords) - {"underscores_to_dashes", "description"}
    one.attributes["config_files"] = Opaque("settings of a Tap") if given or call.rest is not None or len(call.positional) > 1 else NONE
    one.attributes["__added__"] = Map({})
    return one


def _parse(it: Interpreter, base: Value, call: Call) -> Value:
    if not isinstance(base, Object) or base.cls is None:
        return made_of(base)
    variables = list(_variables(it, base.cls))
    options = _options(it, base, variables, call)
    if options is None or base.cls.find("__init__") is not None:
        base.rest = _OPEN
        for one in variables:
            it.heap.write(base, one.name, Open("flag", f"--{one.name}", (Origin("option", one.place, one.name),)))
        return _processed(it, base, call)
    known_only = truth(call.get("known_only", 1) or FALSE) is not False
    values = values_of(it, options, words_of(it, call.get("args", 0)), call, known_only=known_only)
    for one in variables:
        if one.name in values:
            it.heap.write(base, one.name, _kept(one.shape, values[one.name]))
    return _processed(it, base, call)


def _processed(it: Interpreter, base: Object, call: Call) -> Value:
    """``process_args`` is the program's own."""
    own = base.cls.find("process_args") if base.cls is not None else None
    if isinstance(own, Function):
        it.call(own.of(base), call._replace(positional=(), keywords={}, rest=None))
    return base


def _kept(shape: Shape, value: Value) -> Value:
    """A tuple or a set of what was read as a list."""
    several = isinstance(value, Items) and shape.several and value.kind == "list"
    return Items(value.items, shape.several, value.more, value.origins) if several and isinstance(value, Items) else value


def _variables(it: Interpreter, cls: Class) -> Iterator[_Variable]:
    """The annotations of the class and of those that it is made from, the nearest first."""
    seen: set[str] = set()
    for one in [one for one in cls.line if isinstance(one, Class)]:
        for node in one.node.body:
            if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name) or node.target.id in seen:
                continue
            name = node.target.id
            seen.add(name)
            place = Place(one.names.module.path, node.lineno, node)
            default = one.attributes.get(name, ABSENT)
            if isinstance(default, Known):
                default = Known(default.value, (Origin("option", place, name), *default.origins[:1]))
            yield _Variable(name, shape_of(it, node.annotation, one.names), default, place)


def _options(it: Interpreter, base: Object, variables: list[_Variable], call: Call) -> list[Option] | None:
    """The options of a parser; None where some are made in a way that is not known."""
    assert base.cls is not None
    dashes = truth(base.attributes.get("underscores_to_dashes", FALSE))
    if dashes is None or base.rest is not None or base.attributes.get("config_files") is not NONE:
        return None
    if any(isinstance(one, Class) and _unannotated(one) for one in base.cls.line):
        return None
    own = base.cls.find("configure")
    if isinstance(own, Function):
        it.call(own.of(base), call._replace(positional=(), keywords={}, rest=None))
    added = base.attributes.get("__added__")
    if not isinstance(added, Map) or added.rest is not None or set(added.items) - {one.name for one in variables}:
        return None
    found = [_option(one, _flags_of(one, added, dashes=dashes)) for one in variables]
    made = [one for one in found if one is not None]
    return made if len(made) == len(found) else None


def _unannotated(cls: Class) -> bool:
    """Plain class variables are arguments too, of no type that is written."""
    return any(isinstance(node, ast.Assign) for node in cls.node.body)


def _flags_of(one: _Variable, added: Map, *, dashes: bool) -> tuple[str, ...]:
    """Those of ``add_argument``, else its own; empty where that is a positional or not known."""
    given = added.items.get(one.name)
    words = (
        [text_of(word) for word in given.items] if isinstance(given, Items) and given.more is None else [] if given else [f"--{one.name}"]
    )
    if not words or any(word is None or not word.startswith("-") for word in words):
        return ()
    return tuple(str(word).replace("_", "-") if dashes else str(word) for word in words)


def _option(one: _Variable, flags: tuple[str, ...]) -> Option | None:
    kind, default = plain(one.shape), one.default
    if not flags or kind not in _PLAIN or isinstance(default, Object) or (one.shape.several == "tuple" and kind == "literal"):
        return None
    option = Option(one.name, flags, default, one.place, type=reader(one.shape), required=default is ABSENT)
    if one.shape.several:
        return option._replace(nargs="*") if kind != "bool" else None
    if kind == "bool":
        return option._replace(type=Native("a truth value", _truth)) if "None" in one.shape.kinds else switch_of(option, default)
    return option


def switch_of(option: Option, default: Value) -> Option | None:
    """Unlike others it has to be given where it has no default."""
    made = switch(option, default)
    return made._replace(required=default is ABSENT) if made is not None else None


def _truth(it: Interpreter, call: Call) -> Value:
    """``boolean_type``: a start of ``true`` or ``false``, 1 or 0 (``utils.py``)."""
    word = call.positional[0]
    if not isinstance(word, Known):
        return word
    text = str(word.value).lower()
    if text and ("true".startswith(text) or text == "1"):
        return Known(True, word.origins)
    if text and ("false".startswith(text) or text == "0"):
        return Known(False, word.origins)
    raise Dead


def _add_argument(it: Interpreter, base: Value, call: Call) -> Value:
    """``self.add_argument("-n", "--name")`` within ``configure``: kept by the name that argparse would have for it."""
    added = base.attributes.get("__added__") if isinstance(base, Object) else None
    if not isinstance(base, Object) or not isinstance(added, Map):
        return NONE
    words = [text_of(one) for one in call.positional]
    long = next((word for word in words if word is not None and word.startswith("--")), words[0] if words else None)
    if long is None or call.rest is not None or set(call.keywords) - _TOLD:
        it.heap.write(base, "__added__", Opaque("an argument of a Tap"))
        return NONE
    name = long.lstrip("-").replace("-", "_")
    it.heap.write(base, "__added__", Map({**added.items, name: Items(call.positional)}))
    return NONE


def _nothing(it: Interpreter, base: Value, call: Call) -> Value:
    return NONE


def _as_dict(it: Interpreter, base: Value, call: Call) -> Value:
    """The attributes that are arguments."""
    if not isinstance(base, Object) or base.cls is None or base.rest is not None:
        return made_of(base)
    names = [one.name for one in _variables(it, base.cls)]
    return Map({name: base.attributes[name] for name in names if name in base.attributes}, Opaque("what the program adds to a Tap"))


METHODS: dict[str, Callable[[Interpreter, Value, Call], Value]] = {
    f"{TAP}.parse_args": _parse, f"{TAP}.add_argument": _add_argument, f"{TAP}.as_dict": _as_dict, f"{TAP}.save": _nothing,
    f"{TAP}.configure": _nothing, f"{TAP}.process_args": _nothing,
}  # fmt: skip
FUNCTIONS: dict[str, Handler] = {TAP: _made}
