"""Places between editor and text: lines from 0, characters from 0 in the encoding that the client chose; ours are code points.

Source: Language Server Protocol 3.17, "Position": UTF-16 unless the client offers another; a character past the end of its line
means the end of the line.
"""

from __future__ import annotations

from collections.abc import Mapping

from budgetlint.base.source import Location, SourceFile, Span
from budgetlint.lsp.protocol import INVALID_PARAMS, ResponseError

UTF_16, UTF_32 = "utf-16", "utf-32"


def chosen(offered: object) -> str:
    """Code points where the client takes them, else UTF-16, which every client does."""
    return UTF_32 if isinstance(offered, list) and UTF_32 in offered else UTF_16


class Positions:
    """Translation for one source text."""

    def __init__(self, source: SourceFile, encoding: str = UTF_16) -> None:
        self.source = source
        self.encoding = encoding

    def offset(self, position: object) -> int:
        """The code point offset of an editor's position; a place that is not there means the nearest that is."""
        line, character = _pair(position)
        if line >= self.source.line_count:
            return len(self.source.text)
        span = self.source.line_span(line + 1)
        text = self.source.line(line + 1)
        return span.start + (min(character, len(text)) if self.encoding == UTF_32 else _points(text, character))

    def span(self, range: object) -> Span:
        if not isinstance(range, Mapping):
            raise ResponseError(INVALID_PARAMS, "a range has a start and an end")
        start, end = self.offset(range.get("start")), self.offset(range.get("end"))
        return Span(min(start, end), max(start, end))

    def position(self, offset: int) -> dict[str, int]:
        line, column = self.source.position(max(0, min(offset, len(self.source.text))))
        return self._shown(line, column)

    def range(self, span: Span) -> dict[str, dict[str, int]]:
        return {"start": self.position(span.start), "end": self.position(span.end)}

    def located(self, at: Location) -> dict[str, dict[str, int]]:
        """The range of a place that is told by line and column."""
        return {"start": self._shown(at.line, at.column), "end": self._shown(at.end_line, at.end_column)}

    def _shown(self, line: int, column: int) -> dict[str, int]:
        before = self.source.line(line)[: column - 1]
        units = len(before) if self.encoding == UTF_32 or before.isascii() else len(before.encode("utf-16-le", "surrogatepass")) // 2
        return {"line": max(0, line - 1), "character": units}


def _pair(position: object) -> tuple[int, int]:
    if isinstance(position, Mapping):
        line, character = position.get("line"), position.get("character")
        if type(line) is int and type(character) is int and line >= 0 and character >= 0:
            return line, character
    raise ResponseError(INVALID_PARAMS, "a position has a line and a character, both from 0")


def _points(text: str, units: int) -> int:
    """Code points in the first so many UTF-16 units of a line."""
    if text.isascii():
        return min(units, len(text))
    left = units
    for index, character in enumerate(text):
        if left <= 0:
            return index
        left -= 2 if ord(character) > 0xFFFF else 1
    return len(text)
