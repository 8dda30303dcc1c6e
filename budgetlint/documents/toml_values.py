"""Keys and values of TOML that `tomllib` took: strings, arrays, inline tables and bare words, with their spans."""

from __future__ import annotations

import re
import tomllib

from budgetlint.base.source import Span
from budgetlint.documents.failure import MAX_DEPTH, too_deep
from budgetlint.documents.node import Entry, Mapping, Node, Scalar, Sequence, Style

BLANKS = re.compile(r"[ \t]*")
BLANKS_AND_COMMENTS = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WORD = re.compile(r"[^,\]}#\r\n]+")
_STRINGS = (
    re.compile(r'"""(?:[^\\]|\\.)*?"""(?:"{1,2}(?!"))?', re.DOTALL),
    re.compile(r"'''.*?'''(?:'{1,2}(?!'))?", re.DOTALL),
    re.compile(r'"(?:[^"\\]|\\.)*"'),
    re.compile(r"'[^']*'"),
)


def read_key(text: str, at: int) -> tuple[Scalar, int]:
    """One part of a dotted key. Bare keys count as quoted: TOML keys are always text."""
    if text[at] in "\"'":
        return _string(text, at)
    end = _BARE.match(text, at).end()  # type: ignore[union-attr]
    return Scalar(text[at:end], Span(at, end), Style.QUOTED), end


def _string(text: str, at: int) -> tuple[Scalar, int]:
    end = next(found.end() for rule in _STRINGS if (found := rule.match(text, at)))
    raw = text[at:end]
    simple = raw[0] == "'" != raw[1:2] or ("\\" not in raw and not raw.startswith(('"""', "'''")))
    content = raw[1:-1] if simple else tomllib.loads(f"text = {raw}")["text"]
    return Scalar(content, Span(at, end), Style.BLOCK if raw.startswith(('"""', "'''")) else Style.QUOTED), end


def read_value(text: str, at: int, depth: int) -> tuple[Node, int]:
    """The value at ``at`` and the offset behind it."""
    first = text[at]
    if first in "\"'":
        return _string(text, at)
    if first == "[":
        return _array(text, at, depth)
    if first == "{":
        return _inline_table(text, at, depth)
    end = at + len(_WORD.match(text, at)[0].rstrip())  # type: ignore[index]
    return Scalar(text[at:end], Span(at, end)), end


def _array(text: str, start: int, depth: int) -> tuple[Sequence, int]:
    if depth >= MAX_DEPTH:
        raise too_deep(start)
    items = []
    at = _skip(text, start + 1)
    while text[at] != "]":
        item, end = read_value(text, at, depth + 1)
        items.append(item)
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return Sequence(tuple(items), Span(start, at + 1)), at + 1


def _inline_table(text: str, start: int, depth: int) -> tuple[Mapping, int]:
    if depth >= MAX_DEPTH:
        raise too_deep(start)
    entries: list[Entry] = []
    at = _skip(text, start + 1)
    while text[at] != "}":
        keys = []
        while text[at] != "=":
            key, at = read_key(text, at)
            keys.append(key)
            at = _skip(text, at)
            at = _skip(text, at + 1) if text[at] == "." else at
        value, end = read_value(text, _skip(text, at + 1), depth + len(keys))
        _add(entries, keys, value)
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return Mapping(tuple(entries), Span(start, at + 1)), at + 1


def _add(entries: list[Entry], keys: list[Scalar], value: Node) -> None:
    """Add a dotted key to an inline table, joining it with a key that was dotted before: ``{a.b = 1, a.c = 2}``."""
    first, rest = keys[0], keys[1:]
    if not rest:
        entries.append(Entry(first, value))
        return
    place = next((index for index, entry in enumerate(entries) if entry.key.text == first.text), len(entries))
    inner: list[Entry] = []
    if place < len(entries):
        known = entries.pop(place)
        first = known.key
        inner = list(known.value.entries) if isinstance(known.value, Mapping) else []
    _add(inner, rest, value)
    entries.insert(place, Entry(first, Mapping(tuple(inner), Span(inner[0].key.span.start, value.span.end))))


def _skip(text: str, at: int) -> int:
    return BLANKS_AND_COMMENTS.match(text, at).end()  # type: ignore[union-attr]
