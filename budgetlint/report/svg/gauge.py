"""Beside the curve: the limit as a line through it, and the range of the need as a bar with its ends, each with its figure."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import record
from budgetlint.base.units import gib
from budgetlint.memory.estimate import Estimate
from budgetlint.report.svg.element import Value, element, escaped
from budgetlint.report.svg.measure import fitted
from budgetlint.report.svg.scale import Scale
from budgetlint.report.svg.theme import LIGHT, SMALL

APART = SMALL + 3
ABOVE = 10
"""How far above the picture a figure stands that does not lie in it."""

BAR = 20
WORDS = 36
"""Where the bar and its words stand, from the right end of the curve."""

ROOM = 128
"""What the words may take."""


@record
class _Mark:
    """A figure, the height it belongs to, and the height its words stand at."""

    words: str
    y: float
    at: float
    bold: bool = False


def gauge(estimate: Estimate, scale: Scale, left: float, right: float) -> Iterator[str]:
    """``left`` and ``right`` are the ends of the curve."""
    yield from _limit(estimate, scale, left, right)
    yield from _range(estimate, scale, right + BAR)
    yield from (piece for mark in _apart(_marks(estimate, scale), scale) for piece in _words(mark, right))


def _limit(estimate: Estimate, scale: Scale, left: float, right: float) -> Iterator[str]:
    if estimate.limit is None or not 0 <= estimate.limit <= scale.top:
        return
    y = scale.at(estimate.limit)
    line: dict[str, Value] = {"x1": left, "x2": right + WORDS - 6, "y1": y, "y2": y}
    yield element("line", **line, class_="page-line", stroke=LIGHT["page"], stroke_width=4, stroke_opacity=0.75)
    yield element("line", **line, class_="limit", stroke=LIGHT["limit"], stroke_width=2, stroke_dasharray="7 4", data_limit=estimate.limit)


def _range(estimate: Estimate, scale: Scale, x: float) -> Iterator[str]:
    """From the least to the most; an arrow where the most is open or above the picture."""
    need = estimate.need
    high = scale.top if need.high is None else min(need.high, scale.top)
    low, top, best = scale.at(min(need.low, scale.top)), scale.at(high), scale.at(min(need.bytes, scale.top))
    ink: dict[str, Value] = {"class_": "ink-line", "stroke": LIGHT["ink"], "stroke_width": 1.5}
    yield element("line", x1=x, x2=x, y1=low, y2=top, **ink, data_low=need.low, data_high="open" if need.high is None else need.high)
    yield element("line", x1=x - 5, x2=x + 5, y1=low, y2=low, **ink)
    if need.high is None or need.high > scale.top:
        yield element("path", d=f"M{x - 5} {top + 6}L{x} {top - 1}L{x + 5} {top + 6}", fill="none", **ink)
    else:
        yield element("line", x1=x - 5, x2=x + 5, y1=top, y2=top, **ink)
    yield element("circle", cx=x, cy=best, r=4, class_="ink", fill=LIGHT["ink"], data_need=need.bytes)


def _marks(estimate: Estimate, scale: Scale) -> Iterator[_Mark]:
    need, limit = estimate.need, estimate.limit
    heights = [("need", need.bytes, True), ("least", need.low, False)]
    if need.high is not None:
        heights.append(("most", need.high, False))
    if limit is not None:
        heights.append(("limit", limit, True))
    for name, size, bold in heights:
        y = scale.clipped(max(size, 0))
        figure = scale.figure(size)
        if size > scale.top:
            y, figure = y - ABOVE, f"↑ {gib(size)}"
        yield _Mark(f"{figure} {name}", y, y, bold)
    if need.high is None:
        yield _Mark("no upper end", scale.end, scale.end)


def _apart(marks: Iterator[_Mark], scale: Scale) -> list[_Mark]:
    """The same in order of height, moved so that no two lie on each other."""
    placed: list[_Mark] = []
    floor = scale.start
    for mark in sorted(marks, key=lambda one: (-one.y, one.words)):
        at = min(mark.at, floor)
        placed.append(_Mark(mark.words, mark.y, at, mark.bold))
        floor = at - APART
    lift = max(0.0, scale.end - ABOVE - placed[-1].at)
    ceiling = placed[-1].at + lift if placed else 0.0
    settled: list[_Mark] = []
    for mark in reversed(placed):
        at = max(mark.at, ceiling)
        settled.append(_Mark(mark.words, mark.y, at, mark.bold))
        ceiling = at + APART
    return settled


def _words(mark: _Mark, right: float) -> Iterator[str]:
    if abs(mark.at - mark.y) > 3:
        d = f"M{right + BAR + 7} {mark.y:.2f}L{right + WORDS - 3} {mark.at:.2f}"
        yield element("path", d=d, fill="none", class_="grid", stroke=LIGHT["grid"], stroke_width=1)
    yield element(
        "text",
        escaped(fitted(mark.words, SMALL, ROOM, bold=mark.bold)),
        x=right + WORDS,
        y=mark.at + SMALL * 0.36,
        font_size=SMALL,
        font_weight="600" if mark.bold else "",
        class_="ink" if mark.bold else "dim",
        fill=LIGHT["ink"] if mark.bold else LIGHT["dim"],
    )
