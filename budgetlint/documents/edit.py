"""Edits of a document that keep everything else as it is: set a value, rename, delete or insert an entry.

Each function returns the edits, or an empty tuple where no edit of the text alone can do it. Whether an edit did what it
should is proved by reading the result again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from budgetlint.base.finding import Edit
from budgetlint.base.source import Span
from budgetlint.documents import shell_edit
from budgetlint.documents.node import Document, Entry, Mapping, Node, Scalar, Sequence
from budgetlint.documents.render import render, render_key
from budgetlint.documents.scalars import Value

_BLANKS = re.compile(r"\s*")


def apply(text: str, edits: Iterable[Edit]) -> str:
    """``text`` with the edits that do not meet each other. The others need a round of their own: see `rounds`."""
    now, _ = rounds(edits)
    parts, at = [], 0
    for edit in now:
        parts += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    return "".join([*parts, text[at:]])


def rounds(edits: Iterable[Edit]) -> tuple[tuple[Edit, ...], tuple[Edit, ...]]:
    """The edits to apply now, in order of place, and those that overlap or touch one of them. The same edit twice is one."""
    now: list[Edit] = []
    later: list[Edit] = []
    for edit in sorted(dict.fromkeys(edits), key=lambda edit: (edit.span.start, edit.span.end)):
        if now and _meet(now[-1].span, edit.span):
            later.append(edit)
        else:
            now.append(edit)
    return tuple(now), tuple(later)


def _meet(left: Span, right: Span) -> bool:
    return right.start < left.end or right == left


def replace_value(document: Document, node: Node, raw: str) -> tuple[Edit, ...]:
    """Put ``raw``, text in the syntax of the file, where ``node`` stands."""
    start = node.span.start
    glued = node.span.start == node.span.end and document.source.text[start - 1 : start] not in ("", " ", "\t", "\n")
    return (_edit(document, node.span.start, node.span.end, f" {raw}" if glued else raw),)


def set_value(document: Document, scalar: Scalar, value: Value) -> tuple[Edit, ...]:
    """Write ``value`` so that the loaders of the format read it back; text keeps the quotes that it had."""
    if document.format == "shell":
        return shell_edit.set_value(document, scalar, value)
    raw = document.source.text[scalar.span.start : scalar.span.end]
    quote = raw[:1] if isinstance(value, str) and raw[:1] in ("'", '"') else ""
    return replace_value(document, scalar, render(value, document.format, quote))


def rename_key(document: Document, entry: Entry, name: str) -> tuple[Edit, ...]:
    if document.format == "shell":
        return shell_edit.rename_key(document, entry, name)
    raw = document.source.text[entry.key.span.start : entry.key.span.end]
    quote = raw[:1] if raw[:1] in ("'", '"') else ""
    return (_edit(document, entry.key.span.start, entry.key.span.end, render_key(name, document.format, quote)),)


def delete_entry(document: Document, entry: Entry) -> tuple[Edit, ...]:
    """Take an entry out: its whole lines in a block, with its comma in braces. The last entry of a block leaves ``{}``."""
    if document.format == "shell":
        return shell_edit.delete_entry(document, entry)
    parent = _parent(document, entry)
    if parent is None:
        return ()
    if _in_braces(document, parent):
        return _delete_in_braces(document, parent, entry)
    if document.format == "json" or (document.format == "toml" and isinstance(entry.value, Mapping)):
        return ()
    return _delete_lines(document, parent, entry)


def insert_after(document: Document, entry: Entry, name: str, value: Value) -> tuple[Edit, ...]:
    """A new sibling behind ``entry``: on its own line with the indent of ``entry`` where ``entry`` has one, else behind a comma."""
    if document.format == "shell":
        return shell_edit.insert_after(document, entry, name, value)
    parent = _parent(document, entry)
    if parent is None or (document.format == "toml" and isinstance(entry.value, Mapping)):
        return ()
    text, end = document.source.text, entry.value.span.end
    start = _line_start(text, entry.key.span.start)
    key = render_key(name, document.format, text[entry.key.span.start] if document.format == "json" else "")
    written = f"{key}{' = ' if document.format == 'toml' else ': '}{render(value, document.format)}"
    own_line = not text[start : entry.key.span.start].strip()
    newline = _newline(text)
    if _in_braces(document, parent):
        return (_edit(document, end, end, f",{newline}{text[start : entry.key.span.start]}{written}" if own_line else f", {written}"),)
    if document.format == "json":
        return ()
    before = " " * (entry.key.span.start - start) if document.format == "yaml" else text[start : entry.key.span.start]
    line_end = _line_end(text, end)
    return (_edit(document, line_end, line_end, f"{newline}{before}{written}"),)


def _delete_lines(document: Document, parent: Mapping, entry: Entry) -> tuple[Edit, ...]:
    text, key = document.source.text, entry.key.span
    start = _line_start(text, key.start)
    before = text[start : key.start]
    if document.format == "toml":
        return _delete_span(document, start, _next_line(text, entry.value.span.end))
    if "?" in before or len(parent.entries) == 1:
        whole = parent.span if len(parent.entries) == 1 and not parent.merged and "?" not in before else None
        return (_edit(document, whole.start, whole.end, "{}"),) if whole else ()
    if not before.strip():
        return _delete_span(document, start, _next_line(text, entry.value.span.end))
    _, place = _places(document)[id(entry)]
    if place + 1 == len(parent.entries):
        return ()
    return _delete_span(document, key.start, parent.entries[place + 1].key.span.start)


def _delete_in_braces(document: Document, parent: Mapping, entry: Entry) -> tuple[Edit, ...]:
    text, (_, place) = document.source.text, _places(document)[id(entry)]
    start, end = entry.key.span.start, entry.value.span.end
    comma = _comma_behind(text, end)
    is_last = place + 1 == len(parent.entries)
    dangling: tuple[Edit, ...] = ()
    if is_last and place and comma is None:
        previous = _comma_behind(text, parent.entries[place - 1].value.span.end)
        dangling = () if previous is None else _delete_span(document, previous, previous + 1)
    end = end if comma is None else comma + 1
    line, line_end = _line_start(text, start), _line_end(text, end)
    if not text[line:start].strip() and not text[end:line_end].strip():
        return (*dangling, *_delete_span(document, line, _next_line(text, end)))
    blanks = len(text[end:line_end]) - len(text[end:line_end].lstrip(" \t"))
    if dangling and not text[dangling[0].span.end : start].strip():
        return _delete_span(document, dangling[0].span.start, end)
    return (*dangling, *_delete_span(document, start, end if is_last else end + blanks))


def _comma_behind(text: str, at: int) -> int | None:
    """The offset of the comma behind a value; past blanks and line ends, not past comments."""
    at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
    return at if text[at : at + 1] == "," else None


def _in_braces(document: Document, mapping: Mapping) -> bool:
    return document.source.text.startswith("{", mapping.span.start)


def _parent(document: Document, entry: Entry) -> Mapping | None:
    found = _places(document).get(id(entry))
    return found[0] if found else None


def _places(document: Document) -> dict[int, tuple[Mapping, int]]:
    """The mapping that each entry stands in, and the how many-th it is there; each of a thousand fixes asks."""
    known: dict[int, tuple[Mapping, int]] | None = document.facts.get("places of entries")
    if known is None:
        known = document.facts["places of entries"] = {}
        stack, entered = [document.root], set[int]()
        while stack:
            here = stack.pop()
            if isinstance(here, Scalar) or here is None or id(here) in entered:
                continue
            entered.add(id(here))
            if isinstance(here, Sequence):
                stack.extend(here.items)
            else:
                known.update((id(child), (here, place)) for place, child in enumerate(here.entries))
                stack.extend(child.value for child in here.entries)
    return known


def _edit(document: Document, start: int, end: int, text: str) -> Edit:
    return Edit(document.path, Span(start, end), text)


def _delete_span(document: Document, start: int, end: int) -> tuple[Edit, ...]:
    return (_edit(document, start, end, ""),)


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    """The end of the line at ``at``, before its CR LF or LF."""
    end = text.find("\n", at)
    end = end if end >= 0 else len(text)
    return end - 1 if end > at and text[end - 1] == "\r" else end


def _next_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end + 1 if end >= 0 else len(text)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
