"""The line of a file with the span underlined, cut to the width of the page around the span."""

from __future__ import annotations

from budgetlint.base.plain_text import one_line
from budgetlint.base.record import record
from budgetlint.base.source import Location, SourceFile
from budgetlint.report.style import TerminalStyle, cells

_MARGIN = 12


@record
class Excerpt:
    """``text`` the line as shown; ``pad`` and ``length`` (in terminal columns) where the marks go."""

    number: int
    text: str
    pad: int
    length: int


def excerpt(source: SourceFile | None, at: Location, room: int) -> Excerpt | None:
    """The first line of a location in ``room`` columns; None where there is no text to show."""
    raw, begin = _around(source, at, 4 * room) if source else ("", 0)
    line = one_line(raw)
    if not line.strip():
        return None
    start = min(at.column - 1 - begin, len(raw))
    end = at.end_column - 1 - begin if at.end_line == at.line else len(raw.rstrip())
    end = min(end, len(raw))
    if line is not raw:  # some characters take more room than one, or none
        start, end = len(one_line(raw[:start])), len(one_line(raw[:end]))
    end = min(max(end, start + 1), max(len(line), start + 1))
    line, start, end = _cut(line.rstrip(), start, end, room)
    return Excerpt(at.line, line, cells(line[:start]), max(1, cells(line[start:end])))


def _around(source: SourceFile, at: Location, enough: int) -> tuple[str, int]:
    """What of the line may be shown, and how many characters of it stand before: a minified file is one line, with a thousand findings."""
    if not 1 <= at.line <= source.line_count:
        return "", 0
    line = source.line_span(at.line)
    begin = max(0, at.column - 1 - enough)
    part = source.text[min(line.start + begin, line.end) : min(line.end, line.start + begin + 2 * enough)]
    return part.rstrip("\r\n"), begin


def _cut(line: str, start: int, end: int, room: int) -> tuple[str, int, int]:
    """The line, moved left and cut so that the span's beginning shows; ``…`` stands for what is missing."""
    enough = 4 * room  # a minified file is one line: only what can be shown is measured
    if len(line) <= enough and cells(line) <= room:
        return line, start, end
    left = 0
    if cells(line[: min(end, enough)]) > room - 2:
        left = max(0, start - _MARGIN)
    shown = ("…" if left else "") + line[left : left + enough]
    shift = left - (1 if left else 0)
    start, end = start - shift, end - shift
    if cells(shown) > room:
        while cells(shown) > room - 1:
            shown = shown[: -max(1, (cells(shown) - room) // 2)]
        shown += "…"
    return shown, start, min(end, len(shown))


def marked(found: Excerpt, style: TerminalStyle, gutter: int, mark: str, inks: tuple[str, ...], note: str = "") -> list[str]:
    """The two lines: number and text, then the marks with a note behind them."""
    bar = style.ink("|", "blue")
    number = style.ink(f"{found.number:>{gutter}}", "blue")
    marks = style.ink(mark * found.length + (f" {note}" if note else ""), *inks)
    return [f"{number} {bar} {found.text}".rstrip(), f"{' ' * gutter} {bar} {' ' * found.pad}{marks}"]
