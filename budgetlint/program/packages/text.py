"""Methods of ``str``, ``bytes``, ``int`` and ``float``: Python's own answers. Of a path of the project (`roots`) little is told."""

from __future__ import annotations

import string
from collections.abc import Callable

from budgetlint.program.calling import Call
from budgetlint.program.objects import Handler
from budgetlint.program.packages.builtin import narrow, text_of
from budgetlint.program.packages.plain import LONGEST, Method, Small, computed, exact, exact_method, unknown
from budgetlint.program.packages.roots import MARK, ROOT
from budgetlint.program.packages.sequences import items_of
from budgetlint.program.state import Interpreter
from budgetlint.program.values import Items, Known, Value

_WIDEST = 1_000
_FREE = (
    "capitalize", "casefold", "count", "endswith", "find", "index", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier",
    "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper", "lower", "lstrip", "partition", "removeprefix", "removesuffix",
    "rfind", "rindex", "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title", "upper",
)  # fmt: skip
"""Methods whose answer is no longer than what they are given."""


def _few(text: object, width: object = 0, *_: object) -> bool:
    return not isinstance(width, int) or width <= _WIDEST


def _few_tabs(text: str | bytes, tabsize: object = 8) -> bool:
    return not isinstance(tabsize, int) or tabsize <= 64


def _replaced(text: str | bytes, old: object = "", new: object = "", *_: object) -> bool:
    """The longest that every character's replacement could make."""
    return not isinstance(new, str | bytes) or len(text) + (len(text) + 1) * len(new) <= 10 * LONGEST


def _joined(text: str | bytes, parts: object = ()) -> bool:
    try:
        sizes = [len(one) for one in parts]  # type: ignore[attr-defined]
    except TypeError:
        return True
    return sum(sizes) + len(text) * len(sizes) <= LONGEST


def _plain_fields(text: str, *given: object, **named: object) -> bool:
    """Replacement fields that only name an argument: none that asks for an attribute, and no wide format."""
    fields = list(string.Formatter().parse(text))
    return all(name is None or (not set(name) & set(".[") and "{" not in (spec or "") and narrow(spec)) for _, name, spec, _ in fields)


def _translated(text: str, table: object = None) -> bool:
    return isinstance(table, dict) and all(one is None or isinstance(one, int) or len(one) <= 8 for one in table.values())


_SIZED: dict[str, Small] = {
    "center": _few, "ljust": _few, "rjust": _few, "zfill": _few, "expandtabs": _few_tabs, "replace": _replaced, "join": _joined,
    "translate": _translated,
}  # fmt: skip
_IS_OF_BYTES = {"isalnum", "isalpha", "isascii", "isdigit", "islower", "isspace", "istitle", "isupper"}


def _of_text(name: str, small: Small | None = None) -> Method:
    """A method of ``str``. Of a path of the project only what its known end or beginning decides is told."""
    function: Callable[..., object] = getattr(str, name)

    def method(it: Interpreter, base: Value, call: Call) -> Value:
        if isinstance(base, Known) and isinstance(base.value, str) and MARK in base.value:
            return _of_path(it, name, base, call)
        return computed(it, f"str.{name}", function, call, (base,), small)

    return method


def _of_path(it: Interpreter, name: str, base: Known, call: Call) -> Value:
    """``__file__.endswith(".py")``, ``os.getcwd().startswith("/")``."""
    inner = str(base.value)[len(ROOT) :]
    given = call.positional[0].value if len(call.positional) == 1 and isinstance(call.positional[0], Known) else None
    if name == "endswith" and isinstance(given, str) and len(given) <= len(inner):
        return Known(inner.endswith(given), base.origins)
    if name == "startswith" and given == "/":
        return Known(True, base.origins)
    if name in ("rstrip", "strip") and (given == "/" or not call.positional) and inner:
        return Known(ROOT + (inner.rstrip("/") if given else inner.rstrip()), base.origins)
    if name in ("encode", "__str__"):
        return unknown(f"str.{name}", [base])
    return unknown(f"str.{name} of a path whose beginning is not known", [base])


def _join(it: Interpreter, base: Value, call: Call) -> Value:
    """``sep.join(parts)``: whatever can be gone over in an order that is known."""
    if call.rest is not None or len(call.positional) != 1:
        return unknown("str.join", call.given())

    def joined(parts: Value) -> Value:
        items, more = items_of(it, parts, call)
        if more is not None:
            return unknown("str.join", [more, *items])
        return computed(it, "str.join", str.join, call._replace(positional=(Items(items, "list"),)), (base,), _joined)

    return it.each(call.positional[0], joined)


def _format(it: Interpreter, base: Value, call: Call) -> Value:
    """``text.format(...)``; paths are put in as their texts."""
    given = tuple(_as_text(it, one, call) for one in call.positional)
    named = {name: _as_text(it, one, call) for name, one in call.keywords.items()}
    return computed(it, "str.format", str.format, call._replace(positional=given, keywords=named), (base,), _plain_fields)


def _as_text(it: Interpreter, value: Value, call: Call) -> Value:
    return (
        text_of(it, value, call)
        if isinstance(value, Known) and not isinstance(value.value, bytes | int | float | complex | str) and value.value is not None
        else value
    )


def _decoded(name: str) -> Callable[..., object]:
    """``encode`` and ``decode`` by codecs of texts alone."""
    function = getattr(bytes if name == "decode" else str, name)

    def run(text: object, encoding: str = "utf-8", errors: str = "strict") -> object:
        return function(text, encoding, errors)

    return run


def _common(text: object, encoding: object = "utf-8", errors: object = "strict") -> bool:
    return str(encoding).lower().replace("_", "-") in {"utf-8", "utf8", "ascii", "latin-1", "latin1", "iso-8859-1"} and errors in {
        "strict",
        "ignore",
        "replace",
    }


def _few_bytes(number: object, length: object = 1, *_: object, **__: object) -> bool:
    return not isinstance(length, int) or length <= _WIDEST


_NUMBERS: dict[str, Method] = {
    **{f"int.{name}": exact_method(f"int.{name}", getattr(int, name)) for name in ("bit_length", "bit_count", "conjugate",
    "as_integer_ratio")},
    "int.to_bytes": exact_method("int.to_bytes", int.to_bytes, _few_bytes),
    **{f"bool.{name}": exact_method(f"bool.{name}", getattr(int, name)) for name in ("bit_length", "conjugate")},
    **{f"float.{name}": exact_method(f"float.{name}", getattr(float, name)) for name in ("is_integer", "hex", "conjugate",
    "as_integer_ratio")},
}  # fmt: skip

_OF_BYTES: dict[str, Small | None] = {
    **{name: None for name in _FREE if hasattr(bytes, name) and (not name.startswith("is") or name in _IS_OF_BYTES)},
    **{name: small for name, small in _SIZED.items() if name != "translate"},
}  # fmt: skip
METHODS: dict[str, Method] = {
    **{f"str.{name}": _of_text(name) for name in _FREE},
    **{f"str.{name}": _of_text(name, small) for name, small in _SIZED.items() if name != "join"},
    "str.join": _join, "str.format": _format, "str.encode": exact_method("str.encode", _decoded("encode"), _common),
    "str.format_map": lambda it, base, call: unknown("str.format_map", [base, *call.given()]),
    **{f"bytes.{name}": exact_method(f"bytes.{name}", getattr(bytes, name), small) for name, small in _OF_BYTES.items()},
    "bytes.decode": exact_method("bytes.decode", _decoded("decode"), _common), "bytes.hex": exact_method("bytes.hex", bytes.hex),
    **_NUMBERS,
}  # fmt: skip


def _unbound(name: str, method: Method) -> Handler:
    """``str.lower(text)``, ``map(str.strip, parts)``."""

    def handler(it: Interpreter, call: Call) -> Value:
        if not call.positional:
            return unknown(name, call.given())
        return it.each(call.positional[0], lambda one: _own(it, name, method, one, call))

    return handler


def _own(it: Interpreter, name: str, method: Method, base: Value, call: Call) -> Value:
    kind = type(base.value).__name__ if isinstance(base, Known) else ""
    return method(it, base, call._replace(positional=call.positional[1:])) if name.startswith(f"{kind}.") else unknown(name, call.given())


FUNCTIONS: dict[str, Handler] = {
    **{name: _unbound(name, method) for name, method in METHODS.items()},
    "str.maketrans": exact("str.maketrans", str.maketrans), "bytes.fromhex": exact("bytes.fromhex", bytes.fromhex),
    "int.from_bytes": exact("int.from_bytes", int.from_bytes, lambda given=b"", *_, **__: len(given) <= 512),
    "float.fromhex": exact("float.fromhex", float.fromhex),
}  # fmt: skip
