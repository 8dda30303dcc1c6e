"""``re`` on known texts. A pattern is tried only where the most that it could take is bounded: it comes from anybody.

Python's matcher goes back: with ``q`` quantifiers that are not in a group which is repeated, it takes no more than ``n ** (q + 1)`` steps
on ``n`` characters. Repeated groups, references back and long patterns are not tried.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from budgetlint.program.calling import Call
from budgetlint.program.ends import Dead
from budgetlint.program.objects import Handler, Object
from budgetlint.program.packages.iterators import not_gone_over
from budgetlint.program.packages.plain import REFUSED, Method, NotPlain, origins_in, plain, spread, unknown, value_of
from budgetlint.program.state import Interpreter
from budgetlint.program.values import Known, Opaque, Value

_LONGEST_PATTERN, _MOST_STEPS = 200, 1_000_000
_REPEATED = re.compile(r"\)[*+{]|\)\?[*+{]|\\[1-9]|\(\?P=|\(\?\(")
_QUANTIFIER = re.compile(r"[*+?{|]")
PATTERN, MATCH = "re.Pattern", "re.Match"
_BY_TEXT = ("match", "search", "fullmatch", "split", "findall", "sub", "subn")


class Pattern(NamedTuple):
    text: str
    flags: int


def cheap(pattern: object, text: object) -> bool:
    """Whether a pattern may be tried on a text."""
    if not isinstance(pattern, str) or not isinstance(text, str) or len(pattern) > _LONGEST_PATTERN or _REPEATED.search(pattern):
        return False
    steps: int = max(len(text), 2) ** (len(_QUANTIFIER.findall(pattern.replace("(?", "("))) + 1)
    return steps <= _MOST_STEPS


def _function(name: str) -> Handler:
    """``re.search(pattern, text)`` and the like."""

    def handler(it: Interpreter, call: Call) -> Value:
        if call.rest is not None or call.keywords.keys() - {"flags", "count", "maxsplit"}:
            return unknown(f"re.{name}", call.given(), "re")
        names = list(call.keywords)

        def one(values: list[Value]) -> Value:
            given = values[: len(values) - len(names)]
            return _tried(name, given, dict(zip(names, values[len(given) :], strict=True)))

        return spread(it, [*call.positional, *call.keywords.values()], one, f"re.{name}")

    return handler


def _tried(name: str, given: list[Value], named: dict[str, Value]) -> Value:
    if given and isinstance(given[0], Object) and isinstance(given[0].data, Pattern):
        return _of_pattern(name, given[0].data, given[1:], named)
    try:
        ready = [plain(one) for one in given]
        options = {key: plain(one) for key, one in named.items()}
    except NotPlain:
        return unknown(f"re.{name}", given, "re")
    at = 2 if name.startswith("sub") else 1
    if len(ready) <= at or not cheap(ready[0], ready[at]) or not all(isinstance(one, str | int) for one in (*ready, *options.values())):
        return unknown(f"re.{name}", given, "re") if len(ready) > at else Opaque(f"re.{name}", package="re")
    return _answer(lambda: getattr(re, name)(*ready, **options), given, name)


def _answer(run: Callable[[], object], given: list[Value], name: str) -> Value:
    try:
        found = run()
    except (*REFUSED, re.error):
        raise Dead from None
    except RecursionError:
        return unknown(f"re.{name}", given, "re")
    if isinstance(found, re.Match):
        made = Object(MATCH, None, origins_in(given))
        made.data = found
        return made
    return value_of(found, origins_in(given))


def _of_pattern(name: str, pattern: Pattern, given: list[Value], named: dict[str, Value]) -> Value:
    known = [Known(pattern.text), *given]
    return _tried(name, known, {**named, "flags": Known(pattern.flags)} if pattern.flags else named)


def _compile(it: Interpreter, call: Call) -> Value:
    text, flags = call.get("pattern", 0), call.get("flags", 1)
    made = Object(PATTERN)
    if (
        isinstance(text, Known)
        and isinstance(text.value, str)
        and (flags is None or (isinstance(flags, Known) and isinstance(flags.value, int)))
    ):
        made.data = Pattern(text.value, flags.value if isinstance(flags, Known) and isinstance(flags.value, int) else 0)
        made.attributes = {"pattern": text}
    return made


def _method(name: str) -> Method:
    def method(it: Interpreter, base: Value, call: Call) -> Value:
        pattern = base.data if isinstance(base, Object) else None
        most = 3 if name.startswith("sub") else 2 if name == "split" else 1  # further ones say where to begin
        if not isinstance(pattern, Pattern) or call.rest is not None or call.keywords or len(call.positional) > most:
            return unknown(f"re.{name}", [base, *call.given()], "re")
        return spread(it, call.positional, lambda values: _of_pattern(name, pattern, values, {}), f"re.{name}")

    return method


def _of_match(name: str) -> Method:
    def method(it: Interpreter, base: Value, call: Call) -> Value:
        match = base.data if isinstance(base, Object) else None

        def one(values: list[Value]) -> Value:
            try:
                given = [plain(value) for value in values]
                return value_of(getattr(match, name)(*given), base.origins)
            except NotPlain:
                return unknown(f"re.Match.{name}", [base, *values], "re")
            except REFUSED:
                raise Dead from None

        if not isinstance(match, re.Match) or call.rest is not None or call.keywords:
            return unknown(f"re.Match.{name}", [base, *call.given()], "re")
        return spread(it, call.positional, one, f"re.Match.{name}")

    return method


def _escape(it: Interpreter, call: Call) -> Value:
    text = call.get("pattern", 0)
    return (
        Known(re.escape(text.value), text.origins)
        if isinstance(text, Known) and isinstance(text.value, str) and len(text.value) < 1_000
        else unknown("re.escape", call.given(), "re")
    )


def _found(it: Interpreter, call: Call) -> Value:
    return not_gone_over("re.finditer", call.given())


FUNCTIONS: dict[str, Handler] = {
    **{f"re.{name}": _function(name) for name in _BY_TEXT},
    "re.compile": _compile,
    "re.escape": _escape,
    "re.finditer": _found,
}
METHODS: dict[str, Method] = {
    **{f"{PATTERN}.{name}": _method(name) for name in _BY_TEXT}, f"{PATTERN}.finditer": lambda it, base, call: _found(it, call),
    **{f"{MATCH}.{name}": _of_match(name) for name in ("group", "groups", "groupdict", "start", "end", "span", "__getitem__")},
}  # fmt: skip
CONSTANTS: dict[str, Value] = {
    f"re.{name}": Known(int(getattr(re, name)))
    for name in ("I", "IGNORECASE", "M", "MULTILINE", "S", "DOTALL", "X", "VERBOSE", "A", "ASCII")
}
