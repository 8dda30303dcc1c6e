"""Strings of JSON and hjson: escapes, single quotes, and hjson's ``'''`` text of several lines."""

from __future__ import annotations

from budgetlint.base.expression import expression
from budgetlint.base.record import record
from budgetlint.documents.failure import Refused

_CHUNK = {quote: expression(rf"[^{quote}\\\x00-\x1f]*") for quote in "\"'"}
_ESCAPES = {'"': '"', "'": "'", "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX = expression(r"[0-9a-fA-F]{4}")


@record
class Content:
    """The text of a string. ``lenient_escape`` is the offset of an escape that only hjson knows, else 0."""

    text: str
    lenient_escape: int = 0


def read_string(text: str, start: int) -> tuple[Content, int]:
    """The string whose opening quote is at ``start``, and the offset behind its closing quote."""
    quote = text[start]
    chunk = _CHUNK[quote]
    parts: list[str] = []
    lenient = 0
    at = start + 1
    while True:
        found = chunk.match(text, at)
        parts.append(found[0])  # type: ignore[index]
        at = found.end()  # type: ignore[union-attr]
        stop = text[at : at + 1]
        if stop == quote:
            return Content("".join(parts), lenient), at + 1
        if stop != "\\":
            raise _broken(start, at, stop)
        if text[at + 1 : at + 2] == "'":
            lenient = lenient or at
        part, at = _escape(text, at)
        parts.append(part)


def _broken(start: int, at: int, stop: str) -> Refused:
    if stop in ("", "\n", "\r"):
        return Refused("syntax", "a string that is not closed on its line", "close it; a line break is written \\n", start, at)
    if stop == "\t":
        return Refused("control-character", "a tab inside a string", "write it as \\t", at)
    return Refused("control-character", f"the character U+{ord(stop):04X} inside a string", f"write it as \\u{ord(stop):04x}", at)


def _escape(text: str, at: int) -> tuple[str, int]:
    letter = text[at + 1 : at + 2]
    if letter in _ESCAPES:
        return _ESCAPES[letter], at + 2
    if letter != "u" or not (found := _HEX.match(text, at + 2)):
        raise Refused("syntax", f"the escape {text[at : at + 2]} does not exist in JSON", "double the backslash", at, at + 2)
    code = int(found[0], 16)
    if 0xD800 <= code < 0xDC00 and text.startswith("\\u", at + 6) and (low := _HEX.match(text, at + 8)):
        second = int(low[0], 16)
        if 0xDC00 <= second < 0xE000:
            return chr(0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00)), at + 12
    return chr(code), at + 6


def read_block_string(text: str, start: int) -> tuple[Content, int]:
    """hjson ``'''`` text: the indent of its first line is taken off every line, the last line end is dropped."""
    end = text.find("'''", start + 3)
    if end < 0:
        raise Refused("syntax", "a ''' text that is not closed", "close it with '''", start, start + 3)
    end += len(_QUOTES.match(text, end)[0]) - 3  # type: ignore[index]
    indent = start - (text.rfind("\n", 0, start) + 1)
    body = text[start + 3 : end].replace("\r", "").lstrip(" \t")
    first, newline, rest = body.partition("\n")
    lines = [_unindent(line, indent) for line in rest.split("\n")] if newline else []
    content = "\n".join([first, *lines] if first else lines)
    return Content(content.removesuffix("\n")), end + 3


_QUOTES = expression("'+")


def _unindent(line: str, indent: int) -> str:
    blanks = len(line) - len(line.lstrip(" \t"))
    return line[min(indent, blanks) :]
