"""``json`` and what reads like it. Sources: CPython ``json/__init__.py``; hjson 3.1; simplejson, ujson and orjson read plain JSON alike."""

from __future__ import annotations

import json
from collections.abc import Callable

from budgetlint.documents.scalars import Loader
from budgetlint.program.calling import Call
from budgetlint.program.objects import Handler
from budgetlint.program.packages.loaders.config import read_stream
from budgetlint.program.packages.plain import exact, unknown
from budgetlint.program.state import Interpreter
from budgetlint.program.values import NONE, Value

_HARMLESS = frozenset({"encoding", "strict"})


def _load(name: str, loader: Loader, parameters: tuple[str, ...]) -> Handler:
    def handler(it: Interpreter, call: Call) -> Value:
        stream = next((call.keywords[one] for one in parameters if one in call.keywords), call.get("", 0))
        hooks = [one for one in call.keywords if one not in (*_HARMLESS, *parameters)]
        if stream is None or call.rest is not None or hooks or len(call.positional) > 1:
            return unknown(name, call.given(), "json")
        return read_stream(it, stream, loader)

    return handler


def _dump(it: Interpreter, call: Call) -> Value:
    return NONE


def _dumps(value: object, **how: object) -> object:
    """`json.dumps` under the options that change nothing else than the text."""
    if set(how) - {"indent", "sort_keys", "ensure_ascii", "separators"} or not isinstance(how.get("indent", 0), int | str | None):
        raise RecursionError  # not worked out
    options: dict[str, Callable[..., object]] = dict(how)  # type: ignore[arg-type]
    return json.dumps(value, **options)  # type: ignore[arg-type]


def _narrow(value: object, **how: object) -> bool:
    indent = how.get("indent")
    return not isinstance(indent, int) or indent <= 16


FUNCTIONS: dict[str, Handler] = {
    **{f"{package}.load": _load(f"{package}.load", Loader.JSON, ("fp", "f")) for package in ("json", "simplejson", "ujson")},
    **{f"{package}.loads": _load(f"{package}.loads", Loader.JSON, ("s", "obj")) for package in ("json", "simplejson", "ujson", "orjson")},
    "hjson.load": _load("hjson.load", Loader.HJSON, ("fp",)), "hjson.loads": _load("hjson.loads", Loader.HJSON, ("s",)),
    "json.dump": _dump, "json.dumps": exact("json.dumps", _dumps, _narrow, "json"),
}  # fmt: skip
