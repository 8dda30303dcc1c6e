"""Estimate against measurement as SVG: both axes logarithmic, one mark a figure. Plain shapes, legible on light and on dark."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from accuracy_score import Comparison, Outcome

from budgetlint.base.units import GIB

WIDTH, HEIGHT, LEFT, TOP, SIDE = 664, 652, 74, 34, 560
LOW, HIGH = 1.0, 128.0
TICKS = (1, 2, 4, 8, 16, 32, 64, 128)

# Okabe and Ito's colors: told apart with the common color blindnesses, and readable on white and on near-black.
SERIES = (
    ("device", "nvidia-smi", "#999999", "triangle"),
    ("reserved", "reserved", "#e69f00", "square"),
    ("active", "active", "#cc79a7", "square"),
    ("allocated", "allocated", "#0072b2", "circle"),
    ("simulated", "allocated, simulated", "#009e73", "circle"),
)
STYLE = """
  text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #57606a; }
  .title { font-size: 15px; font-weight: 600; }
  .grid { stroke: #8b949e; stroke-opacity: .28; }
  .same { stroke: #57606a; stroke-width: 1.4; }
  .band { stroke: #57606a; stroke-dasharray: 4 4; stroke-opacity: .7; }
  .mark { fill-opacity: .55; }
  @media (prefers-color-scheme: dark) {
    text { fill: #c9d1d9; } .same, .band { stroke: #c9d1d9; } .allocated { fill: #58a6ff; stroke: #58a6ff; }
  }
"""


def plot(outcomes: Sequence[Outcome]) -> str:
    """The whole file. Figures in GiB; marks below or above the frame are left out of it."""
    body = [*_axes(), *_lines(), *_marks(outcomes), *_legend(outcomes)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="Estimate against measurement, in GiB">\n<style>{STYLE}</style>\n' + "\n".join(body) + "\n</svg>\n"
    )


def _at(gib: float) -> float:
    """0 at the low end of the axis, 1 at the high end."""
    return (math.log(gib) - math.log(LOW)) / (math.log(HIGH) - math.log(LOW))


def _x(gib: float) -> float:
    return round(LEFT + SIDE * _at(gib), 1)


def _y(gib: float) -> float:
    return round(TOP + SIDE * (1 - _at(gib)), 1)


def _text(x: float, y: float, text: str, anchor: str = "middle", more: str = "") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{more}>{escape(text)}</text>'


def _axes() -> Iterator[str]:
    for tick in TICKS:
        yield f'<line class="grid" x1="{_x(tick)}" y1="{TOP}" x2="{_x(tick)}" y2="{TOP + SIDE}"/>'
        yield f'<line class="grid" x1="{LEFT}" y1="{_y(tick)}" x2="{LEFT + SIDE}" y2="{_y(tick)}"/>'
        yield _text(_x(tick), TOP + SIDE + 20, str(tick))
        yield _text(LEFT - 10, _y(tick) + 4, str(tick), "end")
    middle = LEFT + SIDE / 2
    yield _text(middle, 18, "Estimate against measurement", more=' class="title"')
    yield _text(middle, TOP + SIDE + 44, "measured, GiB")
    turn = f' transform="rotate(-90 22 {TOP + SIDE / 2})"'
    yield _text(22, TOP + SIDE / 2, "estimated, GiB", more=turn)


def _lines() -> Iterator[str]:
    for factor, name in ((1.0, "same"), (1.1, "band"), (1 / 1.1, "band")):
        start, end = max(LOW, LOW / factor), min(HIGH, HIGH / factor)
        yield f'<line class="{name}" x1="{_x(start)}" y1="{_y(start * factor)}" x2="{_x(end)}" y2="{_y(end * factor)}"/>'


def _marks(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for series, _, color, shape in SERIES:
        for one in _series(outcomes, series):
            measured, estimated = one.bytes / GIB, one.estimate.bytes / GIB
            if min(measured, estimated) >= LOW and max(measured, estimated) <= HIGH:
                yield _mark(shape, _x(measured), _y(estimated), color, series)


def _series(outcomes: Sequence[Outcome], series: str) -> list[Comparison]:
    if series == "simulated":
        return [one for outcome in outcomes if outcome.family == "simulated" for one in outcome.comparisons if one.metric == "allocated"]
    return [one for outcome in outcomes if outcome.family != "simulated" for one in outcome.comparisons if one.metric == series]


def _mark(shape: str, x: float, y: float, color: str, series: str) -> str:
    looks = f'class="mark {series}" fill="{color}" stroke="{color}"'
    if shape == "circle":
        return f'<circle cx="{x}" cy="{y}" r="3.4" {looks}/>'
    if shape == "square":
        return f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6" {looks}/>'
    return f'<path d="M{x} {y - 4:.1f}l4 7h-8z" {looks}/>'


def _legend(outcomes: Sequence[Outcome]) -> Iterator[str]:
    y = TOP + 14
    for series, label, color, shape in reversed(SERIES):
        count = len(_series(outcomes, series))
        if count:
            yield _mark(shape, LEFT + 16, y, color, series)
            yield _text(LEFT + 28, y + 4, f"{label} ({count})", "start")
            y += 21
    yield f'<line class="same" x1="{LEFT + 8}" y1="{y}" x2="{LEFT + 24}" y2="{y}"/>'
    yield _text(LEFT + 28, y + 4, "equal; dashed: 10% off", "start")
