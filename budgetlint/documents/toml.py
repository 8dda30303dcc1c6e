"""TOML: `tomllib` decides what is valid, our scanner finds where everything stands.

The scanner runs only over text that `tomllib` took, so it needs no error paths of its own. Tables, dotted keys and arrays of
tables become nested mappings in the order of the file.
"""

from __future__ import annotations

import re
import tomllib

from budgetlint.base import limits
from budgetlint.base.record import field, state
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents.failure import MAX_DEPTH, Refused, blame, too_deep, too_many
from budgetlint.documents.node import Document, Entry, Mapping, Node, Scalar, Sequence
from budgetlint.documents.toml_values import BLANKS, BLANKS_AND_COMMENTS, read_key, read_value

_LONG = re.compile(r"[0-9][0-9_]{4299}")
_WHERE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def read_toml(source: SourceFile) -> tuple[Document, ...]:
    """The one document of the source; what `tomllib` refuses has no root."""
    text = source.text.removeprefix("\ufeff")
    shift = len(source.text) - len(text)
    try:
        _bounded(text)
        tomllib.loads(text)
        return (Document(source, "toml", _Reader(source.text, shift).document()),)
    except tomllib.TOMLDecodeError as error:
        refused = _refused(error, source, shift)
    except ValueError:  # of int(), which `tomllib` lets through
        long = _LONG.search(source.text)
        refused = Refused("syntax", "an integer of more than 4,300 digits", "write a number", long.start() if long else 0)
    except RecursionError:
        refused = too_deep(0)
    except Refused as error:
        refused = error
    return (Document(source, "toml", None, (blame(refused, source.text).problem(source),)),)


_LONG_KEY = re.compile(rf"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){{{MAX_DEPTH},}}""")
"""More parts than are read: `tomllib` takes the square of their number."""


def _bounded(text: str) -> None:
    """`tomllib` has no bounds of its own. Each key and each value has a mark of its own: an equals sign is one of both."""
    if sum(map(text.count, ",[={.=")) > limits.NODES.most:
        raise too_many(limits.NODES, 0)
    if long := _LONG_KEY.search(text):
        raise too_deep(long.start())


def _refused(error: tomllib.TOMLDecodeError, source: SourceFile, shift: int) -> Refused:
    message = str(error)
    found = _WHERE.search(message)
    at = len(source.text)
    if found and found[1]:
        at = source.line_span(int(found[1])).start + int(found[2]) - 1 + (shift if found[1] == "1" else 0)
    what = message[: found.start()] if found else message
    cure = next((cure for word, cure in _CURES if word in what), "check quotes, brackets and '=' here")
    return Refused("syntax", what[:1].lower() + what[1:], cure, at)


_CURES = (
    ("Cannot overwrite a value", "keep one of the two"),
    ("Cannot declare", "declare a table once"),
    ("Invalid value", "quote text; write true and false in lower case"),
    ("Expected '=' after a key", "write key = value"),
    ("Expected newline or end of document", "put it on its own line"),
    ("Unclosed", "close the bracket"),
    ("Unterminated", "close the quote"),
    ("Expected \"'", "close the quote"),
    ("Illegal character", "write it as an escape"),
    ("Unescaped '\\'", "double the backslash, or use single quotes"),
)


@state
class _Table:
    """A mapping that later lines may still extend. ``names`` finds the place of a key in ``entries``."""

    start: int
    end: int
    entries: list[tuple[Scalar, _Table | _Tables | Node]] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)

    def add(self, key: Scalar, value: _Table | _Tables | Node) -> None:
        self.names[key.text] = len(self.entries)
        self.entries.append((key, value))

    def node(self) -> Mapping:
        entries = tuple(Entry(key, value.node() if isinstance(value, _Table | _Tables) else value) for key, value in self.entries)
        return Mapping(entries, Span(self.start, max(self.end, *(entry.value.span.end for entry in entries), 0) if entries else self.end))


@state
class _Tables:
    """An array of tables, ``[[name]]``."""

    items: list[_Table] = field(default_factory=list)

    def node(self) -> Sequence:
        items = tuple(item.node() for item in self.items)
        return Sequence(items, Span(items[0].span.start, items[-1].span.end))


class _Reader:
    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.at = start

    def document(self) -> Mapping:
        text = self.text
        root = here = _Table(self.at, len(text.rstrip()))
        depth = 0
        while (at := BLANKS_AND_COMMENTS.match(text, self.at).end()) < len(text):  # type: ignore[union-attr]
            if text[at] == "[":
                here, depth = self.header(root, at)
            else:
                self.assignment(here, at, depth)
        return root.node()

    def header(self, root: _Table, at: int) -> tuple[_Table, int]:
        array = self.text.startswith("[[", at)
        keys, end = self.keys(at + 1 + array)
        self.at = end + 1 + array
        table = _descend(root, keys[:-1])
        last = keys[-1]
        fresh = _Table(at, self.at)
        if last.text in table.names:
            return _again(table, last, fresh, array), len(keys)
        table.add(last, _Tables([fresh]) if array else fresh)
        return fresh, len(keys)

    def assignment(self, table: _Table, at: int, depth: int) -> None:
        keys, end = self.keys(at)
        start = BLANKS.match(self.text, end + 1).end()  # type: ignore[union-attr]
        if depth + len(keys) > MAX_DEPTH:
            raise too_deep(at)
        value, self.at = read_value(self.text, start, depth + len(keys))
        table.end = max(table.end, self.at)
        _descend(table, keys[:-1]).add(keys[-1], value)

    def keys(self, at: int) -> tuple[list[Scalar], int]:
        """A dotted key from ``at`` on, and the offset of the ``=`` or ``]`` behind it."""
        keys = []
        while True:
            key, end = read_key(self.text, BLANKS.match(self.text, at).end())  # type: ignore[union-attr]
            keys.append(key)
            end = BLANKS.match(self.text, end).end()  # type: ignore[union-attr]
            if self.text[end] != ".":
                break
            at = end + 1
        if len(keys) > MAX_DEPTH:
            raise too_deep(keys[0].span.start)
        return keys, end


def _descend(table: _Table, keys: list[Scalar]) -> _Table:
    for key in keys:
        if key.text not in table.names:
            table.add(key, _Table(key.span.start, key.span.end))
        found = table.entries[table.names[key.text]][1]
        if isinstance(found, _Tables):
            found = found.items[-1]
        assert isinstance(found, _Table), "tomllib refuses to extend a value"
        table = found
    return table


def _again(table: _Table, key: Scalar, fresh: _Table, array: bool) -> _Table:
    """``[[name]]`` for a further time, or ``[name]`` after ``[name.child]``: the header that counts is this one."""
    place = table.names[key.text]
    found = table.entries[place][1]
    if array and isinstance(found, _Tables):
        found.items.append(fresh)
        return fresh
    assert isinstance(found, _Table), "tomllib refuses to declare a value as a table"
    found.start, found.end = fresh.start, max(found.end, fresh.end)
    table.entries[place] = (key, found)
    return found
