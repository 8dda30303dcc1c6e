"""`draccus` and `pyrallis`: dataclasses within dataclasses, each field ``--outer.inner WORD``, the word read as YAML and then as its
annotation says (draccus 0.8 to 0.11, pyrallis 0.3: ``argparsing.py``, ``parsers/decoding.py``).

Words whose reading hangs on the loader (``010``, ``1_000``, lists) stay unknown; so does all that a ``--config_path`` may say.
"""

from __future__ import annotations

import ast

from budgetlint.base.expression import expression
from budgetlint.program.calling import Call
from budgetlint.program.dataclass import is_dataclass
from budgetlint.program.ends import Dead
from budgetlint.program.functions import parameters
from budgetlint.program.imports import lookup
from budgetlint.program.objects import Class, Function, Handler, Native, Object
from budgetlint.program.packages.parsers.annotated import plain, words_of
from budgetlint.program.packages.parsers.annotations import Shape, literal, number, unknown
from budgetlint.program.packages.parsers.options import Option, defaults, refuse, refuse_words, text_of_word
from budgetlint.program.packages.parsers.reading import Manners, read_words
from budgetlint.program.packages.parsers.tyro import Leaf, leaves_of, object_of
from budgetlint.program.places import Origin
from budgetlint.program.state import Interpreter
from budgetlint.program.values import ABSENT, NONE, Known, Opaque, Value

_CONFIG = "config_path"
_WRAPPED = "draccus.wrap()"
_TEXT = expression(r"[A-Za-z/~][\w./@+~-]*")
_NOT_TEXT = frozenset({"true", "false", "yes", "no", "on", "off", "null", "none", "y", "n", "~", "include", "inf", "nan", "infinity"})
_INTEGER, _NUMBER = expression(r"[+-]?(?:0|[1-9]\d*)"), expression(r"[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_TRUTHS = {"true": True, "True": True, "false": False, "False": False}


def _parsed(it: Interpreter, kind: Value | None, path: Value | None, words: Value | None, call: Call, *, abbreviates: bool) -> Value:
    """The object of a class for the words of the launch."""
    if not isinstance(kind, Class) or not is_dataclass(kind) or call.rest is not None:
        return Opaque("what a parser of dataclasses makes")
    leaves = leaves_of(it, kind, "", None, 0)
    if leaves is None:
        return Opaque(f"what a parser makes of {kind.name}")
    given = words_of(it, words)
    by_file = path is not None and not (isinstance(path, Known) and path.value is None)
    return object_of(it, kind, "", _read(it, leaves, given, call, by_file=by_file, abbreviates=abbreviates), call)


def _read(it: Interpreter, leaves: list[Leaf], words: object, call: Call, *, by_file: bool, abbreviates: bool) -> dict[str, Value]:
    place = it.place(call.node, call.frame)
    options = [_option(leaf) for leaf in leaves]
    beside = [Option(_CONFIG, (f"--{_CONFIG}",), NONE, place), Option("", ("-h", "--help"), NONE, place, "help")]
    parsed = read_words(it, [*options, *beside], words or (), Manners(abbreviates=abbreviates))  # type: ignore[arg-type]
    if parsed.left and not parsed.open:
        refuse_words(it, parsed.left, place, [flag for option in options for flag in option.flags])
    for option, leaf in zip(options, leaves, strict=True):
        if option.dest in parsed.given:
            parsed.given[option.dest] = _converted(it, option, leaf.shape, parsed.given[option.dest], strict=not abbreviates)
    is_open = parsed.open or by_file or _CONFIG in parsed.given
    return dict(defaults(it, options, parsed._replace(open=is_open), words is not None))


def _option(leaf: Leaf) -> Option:
    """Words are converted when all are read: what a later one replaces is none that counts."""
    default = leaf.default if leaf.default is not ABSENT else NONE
    return Option(leaf.name, (f"--{leaf.name}",), default, leaf.place, required=leaf.default is ABSENT)


def _converted(it: Interpreter, option: Option, shape: Shape, word: Value, *, strict: bool) -> Value:
    try:
        return _word(shape, word, strict=strict)
    except Dead:
        origin = next(iter(word.origins), Origin("option", option.place, option.dest))
        return refuse(it, option, f"does not take {text_of_word(word)!r}", origin)


def _word(shape: Shape, word: Value, *, strict: bool) -> Value:
    """``strict``: draccus, which takes no number for another kind of number and no text for a truth value."""
    if not isinstance(word, Known):
        return word
    text, kind = str(word.value), "" if shape.several else plain(shape)
    is_text = _TEXT.fullmatch(text) is not None and text.lower() not in _NOT_TEXT
    if is_text and "None" not in shape.kinds and (kind in {"int", "float"} or (kind == "bool" and strict)):
        raise Dead
    if kind == "int":
        found = number(int, word) if _INTEGER.fullmatch(text) else _of_float(word, text, strict=strict)
    elif kind == "float" and _NUMBER.fullmatch(text):
        found = number(float, word)
    elif kind == "bool" and (text in _TRUTHS or is_text):
        found = Known(_TRUTHS.get(text, True), word.origins)
    else:
        found = (word if kind == "str" else literal(shape, word) if kind == "literal" else None) if is_text else None
    return found if found is not None else unknown(word)


def _of_float(word: Known, text: str, *, strict: bool) -> Value | None:
    """A number with a point or an exponent for a whole one. PyYAML has ``1e-3`` for a text."""
    if not _NUMBER.fullmatch(text):
        return None
    exponent = "e" in text.lower()
    if strict or (exponent and "." not in text):
        raise Dead
    return None if exponent else Known(int(float(text)), word.origins)


def _parse(*, abbreviates: bool) -> Handler:
    return lambda it, call: _parsed(
        it, call.get("config_class", 0), call.get("config_path", 1), call.get("args", 2), call, abbreviates=abbreviates
    )


def _wrap(*, abbreviates: bool) -> Handler:
    """``@draccus.wrap()``: the function gets the object of its first parameter's annotation."""

    def handler(it: Interpreter, call: Call) -> Value:
        made = Object(_WRAPPED)
        made.attributes = {"path": call.get("config_path", 0) or NONE, "abbreviates": Known(abbreviates)}
        return made

    return handler


def _decorate(it: Interpreter, base: Value, call: Call) -> Value:
    function = call.positional[0] if call.positional else None
    if not isinstance(function, Function) or not isinstance(base, Object):
        return Opaque("what a parser of dataclasses wraps")
    names = parameters(function)
    written = next((one.annotation for one in function.node.args.args if names and one.arg == names[0]), None)
    kind = lookup(it, written.id, function.names) if isinstance(written, ast.Name) else None

    def start(it: Interpreter, given: Call) -> Value:
        if given.positional:  # an object of its own, which draccus takes and pyrallis does not
            return it.call(function, given)
        abbreviates = base.attributes["abbreviates"]
        config = _parsed(
            it, kind, base.attributes["path"], None, given, abbreviates=isinstance(abbreviates, Known) and abbreviates.value is True
        )
        return it.call(function, given._replace(positional=(config,)))

    return Native(function.name, start)


METHODS = {f"{_WRAPPED}.__call__": _decorate}
FUNCTIONS: dict[str, Handler] = {
    "draccus.parse": _parse(abbreviates=False), "draccus.wrap": _wrap(abbreviates=False),
    "pyrallis.parse": _parse(abbreviates=True), "pyrallis.wrap": _wrap(abbreviates=True),
}  # fmt: skip
