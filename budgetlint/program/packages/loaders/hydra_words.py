"""The value of a word as Hydra's own grammar reads it, which is not YAML's: ``010``, ``0x10`` and ``yes`` are texts, ``nan`` is a number.

Source: hydra-core 1.1 to 1.3 ``grammar/OverrideLexer.g4`` (VALUE_MODE), ``grammar/OverrideParser.g4``,
``core/override_parser/overrides_visitor.py`` (_createPrimitive).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from budgetlint.program.places import Origin
from budgetlint.program.values import Items, Key, Known, Map, Opaque, Value

_LONGEST, _DEEPEST = 4_000, 20
_INT = r"(?:0|[1-9](?:_?[0-9])*)"
_POINT = rf"(?:(?:{_INT})?\.[0-9](?:_?[0-9])*|{_INT}\.)"
_TOKENS = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("(", r"[ \t]*\([ \t]*"),
        (",", r"[ \t]*,[ \t]*"),
        (")", r"[ \t]*\)"),
        ("[", r"\[[ \t]*"),
        ("]", r"[ \t]*\]"),
        ("{", r"\{[ \t]*"),
        ("}", r"[ \t]*\}"),
        (":", r"[ \t]*:[ \t]*"),
        ("=", r"[ \t]*=[ \t]*"),
        ("float", rf"[+-]?(?:(?:{_INT}|{_POINT})[eE][+-]?[0-9](?:_?[0-9])*|{_POINT}|[Ii][Nn][Ff]|[Nn][Aa][Nn])"),
        ("int", rf"[+-]?{_INT}"),
        ("bool", r"(?i:true|false)"),
        ("null", r"(?i:null)"),
        ("character", r"[/\-\\+.$%*@?|]"),
        ("id", r"[a-zA-Z_][a-zA-Z0-9_-]*"),
        ("escaped", r"(?:\\[\\()\[\]{}:=, \t])+"),
        ("blank", r"[ \t]+"),
        ("quoted", r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"),
        ("reference", r"\$\{[^}]+\}"),
    )
)
_PLAIN = frozenset({"id", "null", "int", "float", "bool", "reference", "character", ":", "escaped", "blank"})


class _Token(NamedTuple):
    kind: str
    text: str


class _Refused(Exception):
    """Hydra does not read it."""


class _NotRead(Exception):
    """It may mean something that is not read here: a function of the grammar."""


def elements_of(text: str, origins: tuple[Origin, ...]) -> tuple[Value, ...] | None:
    """The values between commas, of which a multirun takes each; None where Hydra refuses the word."""
    if len(text) > _LONGEST:
        return (Opaque("a word that is too long", origins=origins),)
    if not text.strip(" \t"):
        return (Known("", origins),)
    try:
        return tuple(_Reader(_tokens(text), origins).whole())
    except _Refused:
        return None
    except _NotRead:
        return (Opaque("an override that the grammar reads", origins=origins),)


def _tokens(text: str) -> list[_Token]:
    """The longest token at each place, of equal ones the first of the grammar."""
    found: list[_Token] = []
    at = 0
    while at < len(text):
        matches = [(name, match) for name, pattern in _TOKENS if (match := pattern.match(text, at))]
        if not matches:
            raise _Refused
        name, match = max(matches, key=lambda one: one[1].end())
        found.append(_Token(name, match[0]))
        at = match.end()
    return found


class _Reader:
    def __init__(self, tokens: list[_Token], origins: tuple[Origin, ...]) -> None:
        self.tokens, self.origins, self.at = tokens, origins, 0

    @property
    def kind(self) -> str:
        return self.tokens[self.at].kind if self.at < len(self.tokens) else ""

    def whole(self) -> list[Value]:
        if self.kind == "blank":  # of the word's ``=``
            self.at += 1
        found = [self._element(0)]
        while self.kind == ",":
            self.at += 1
            found.append(self._element(0))
        if self.kind:
            raise _Refused
        return found

    def _element(self, depth: int) -> Value:
        if depth > _DEEPEST:
            raise _NotRead
        if self.kind == "[":
            return Items(self._inside("]", depth), "list", None, self.origins)
        if self.kind == "{":
            return self._mapping(depth)
        return self._primitive(_PLAIN)

    def _inside(self, end: str, depth: int) -> list[Value]:
        self.at += 1
        found: list[Value] = []
        while self.kind != end:
            if found:
                self._take(",")
            found.append(self._element(depth + 1))
        self.at += 1
        return found

    def _mapping(self, depth: int) -> Value:
        self.at += 1
        pairs: dict[Key, Value] = {}
        while self.kind != "}":
            if pairs:
                self._take(",")
            key = self._primitive(_PLAIN - {":", "reference"})
            self._take(":")
            pairs[key.value if isinstance(key, Known) else ""] = self._element(depth + 1)  # type: ignore[index]
        self.at += 1
        return Map(pairs, None, self.origins)

    def _take(self, kind: str) -> None:
        if self.kind != kind:
            raise _Refused
        self.at += 1

    def _primitive(self, kinds: frozenset[str]) -> Value:
        start = self.at
        if self.kind == "quoted" and kinds is _PLAIN:
            self.at += 1
            return self._quoted(self.tokens[start].text)
        while self.kind in kinds:
            self.at += 1
        if self.kind == "(":
            raise _NotRead
        taken = self.tokens[start : self.at]
        while taken and taken[-1].kind == "blank":
            taken.pop()
        while taken and taken[0].kind == "blank":
            taken.pop(0)
        if not taken:
            raise _Refused
        return Known(_value(taken), self.origins)

    def _quoted(self, text: str) -> Value:
        if "\\" in text:
            raise _NotRead
        return Known(text[1:-1], self.origins)


def _value(tokens: list[_Token]) -> str | int | float | bool | None:
    kind, text = tokens[0]
    if len(tokens) == 1 and kind in {"int", "float"}:
        return int(text) if kind == "int" else float(text)
    if len(tokens) == 1 and kind in {"bool", "null"}:
        return text.lower() == "true" if kind == "bool" else None
    return "".join(re.sub(r"\\(.)", r"\1", one.text) if one.kind == "escaped" else one.text for one in tokens)
