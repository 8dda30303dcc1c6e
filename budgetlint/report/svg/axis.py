"""The axes of a curve: bytes at the left, phases and moments below."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.units import gib
from budgetlint.memory.timeline import TimelineMoment, place_of
from budgetlint.report.svg.curve import PhaseSpan, peak_of
from budgetlint.report.svg.element import element, escaped
from budgetlint.report.svg.measure import fitted, width
from budgetlint.report.svg.scale import Scale
from budgetlint.report.svg.theme import LIGHT, SMALL, TEXT


def size_axis(scale: Scale, left: float, right: float) -> Iterator[str]:
    """Lines at round figures, with the unit at the highest."""
    ticks = scale.ticks()
    for size, figure in ticks:
        y = scale.at(size)
        yield element("line", x1=left, x2=right, y1=y, y2=y, class_="grid", stroke=LIGHT["grid"], data_tick=size)
        unit = f" {scale.unit[1]}" if size == ticks[-1][0] else ""
        yield _text(f"{figure}{unit}", left - 8, y + SMALL * 0.36, text_anchor="end")


def phase_names(course: list[PhaseSpan], ground: float) -> Iterator[str]:
    """The name of each phase, and what is allocated at its highest."""
    highest = max(course, key=lambda span: span.highest.bytes)
    for span in course:
        middle, room = (span.left + span.right) / 2, span.right - span.left + 2
        weight = "700" if span is highest else ""
        yield _text(fitted(span.name, TEXT, room), middle, ground + 33, TEXT, "ink", text_anchor="middle", font_weight=weight)
        size = span.highest.bytes
        figure = next((one for one in (gib(size), scale_free(size)) if width(one, SMALL) <= room), "")
        yield _text(figure, middle, ground + 48, text_anchor="middle", data_phase=span.name, data_bytes=size)
    yield _text("allocated", course[0].left - 8, ground + 48, text_anchor="end")


def scale_free(size: int) -> str:
    """A figure with one decimal, for narrow phases."""
    figure, unit = gib(size).split(" ")
    return f"{float(figure.replace(',', '')):,.1f} {unit}"


def moment_names(course: list[PhaseSpan], ground: float) -> Iterator[str]:
    """The moments of a phase under it, the highest first; one that has no room is left out."""
    peak = peak_of(course).moment
    for span in course:
        moments = list(dict.fromkeys(knot.moment for knot in span.knots)) if len({id(k.moment) for k in span.knots}) > 1 else []
        taken: list[tuple[float, float]] = []
        for moment in sorted(moments, key=lambda one: -one.bytes):
            said = _short(moment)
            wide = width(said, SMALL) + 6
            places = [knot.x for knot in span.knots if knot.moment is moment]
            middle = min(max(sum(places) / len(places), span.left + wide / 2), span.right - wide / 2)
            left, right = middle - wide / 2, middle + wide / 2
            if wide <= span.right - span.left and all(right <= start or left >= end for start, end in taken):
                taken.append((left, right))
                ink = "ink" if moment is peak else "dim"
                yield _text(said, middle, ground + 15, SMALL, ink, text_anchor="middle")


def _short(moment: TimelineMoment) -> str:
    """``last layer`` of ``the last layer's attention``."""
    return place_of(moment).removeprefix("the ")


def _text(words: str, x: float, y: float, size: float = SMALL, ink: str = "dim", **more: str | int) -> str:
    return element("text", escaped(words), x=x, y=y, font_size=size, class_=ink, fill=LIGHT[ink], **more)
