"""Edits of a flag in a launch command: another value, another name, gone, or a new flag behind it.

Only where the flag stands in the text as the command writes it: what a variable brought in is changed where the variable is
assigned, and a list, a true-or-false switch or the command line itself not at all.
"""

from __future__ import annotations

import shlex

from budgetlint.base.finding import Edit
from budgetlint.base.source import Span
from budgetlint.documents.node import Document, Entry, Scalar
from budgetlint.documents.scalars import Value

_FAR = 200
"""A value stands behind its flag, at most this many characters of blanks and line continuations away."""


def set_value(document: Document, scalar: Scalar, value: Value) -> tuple[Edit, ...]:
    """The value where it stands: in the command, or in the one assignment it comes from."""
    if scalar.tag or not _editable(document):
        return ()
    raw = document.source.text[scalar.span.start : scalar.span.end]
    if raw.strip("'\"") != scalar.text:
        return ()
    quote = raw[:1] if raw[:1] in ("'", '"') and "'" not in str(value) and '"' not in str(value) else ""
    written = f"{quote}{value}{quote}" if quote else shlex.quote(str(value))
    if written != str(value) and document.path.endswith(".py"):  # a word of a program stands in quotes of its own
        return ()
    return (Edit(document.path, scalar.span, written),)


def rename_key(document: Document, entry: Entry, name: str) -> tuple[Edit, ...]:
    key = entry.key.span
    raw = document.source.text[key.start : key.end]
    if not _editable(document) or not raw.startswith("--") or raw[2:].replace("-", "_") != entry.key.text:
        return ()
    return (Edit(document.path, key, f"--{name}"),)


def delete_entry(document: Document, entry: Entry) -> tuple[Edit, ...]:
    """The flag, its value, and the blanks in front; a line that held nothing else keeps its continuation. Where lines are folded
    without one (YAML's ``>-``), the line goes: an empty one would end the command."""
    if not _together(document, entry):
        return ()
    start, end = entry.key.span.start, max(entry.key.span.end, entry.value.span.end)
    text = document.source.text
    while start > 0 and text[start - 1] in " \t":
        start -= 1
    line = _own_line(text, start, end)
    if line is not None and not text.endswith("\\", 0, line.start):
        return (Edit(document.path, line, ""),)
    return (Edit(document.path, Span(start, end), "" if text[end : end + 1] in ("", " ", "\t", "\n") else " "),)


def _own_line(text: str, start: int, end: int) -> Span | None:
    """The line where nothing else stands on it, with the line end in front."""
    at, after = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    after = len(text) if after < 0 else after - text.endswith("\r", end, after)
    if not at or text[at:start].strip() or text[end:after].strip():
        return None
    return Span(at - 1 - text.endswith("\r", 0, at - 1), after)


def insert_after(document: Document, entry: Entry, name: str, value: Value) -> tuple[Edit, ...]:
    if not _together(document, entry):
        return ()
    end = max(entry.key.span.end, entry.value.span.end)
    return (Edit(document.path, Span(end, end), f" --{name} {shlex.quote(str(value))}"),)


def _editable(document: Document) -> bool:
    return not document.path.startswith("<")


def _together(document: Document, entry: Entry) -> bool:
    """Flag and value stand together in the command, nothing between them."""
    key, value, text = entry.key.span, entry.value.span, document.source.text
    if not _editable(document) or not text.startswith("-", key.start):
        return False
    between = text[key.end : value.start] if value.start >= key.end else "" if value == key else "?"
    return len(between) <= _FAR and not between.strip(" \t\r\n\\=")
