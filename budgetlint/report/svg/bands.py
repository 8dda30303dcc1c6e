"""The bands of a curve: one shape a bucket, and its name in it where there is room."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import record
from budgetlint.base.units import gib
from budgetlint.memory.term import Bucket
from budgetlint.report.bill import WHAT
from budgetlint.report.svg.curve import PhaseSpan
from budgetlint.report.svg.element import Value, closed, element, escaped
from budgetlint.report.svg.measure import width
from budgetlint.report.svg.scale import Scale
from budgetlint.report.svg.theme import FILL, SMALL, STACK, on

LINE = SMALL + 4
"""Height that a name takes."""

STEP = 4
"""Places a name is tried at lie so many pixels apart."""


def bands(course: list[PhaseSpan], scale: Scale) -> Iterator[str]:
    """From the ground up; a bucket that holds nothing anywhere is left out."""
    for bucket in STACK:
        outlines = [outline for span in course if (outline := _outline(span, bucket, scale))]
        if outlines:
            most = max(high - low for span in course for knot in span.knots for low, high in [span.edges(bucket, knot)])
            title = element("title", escaped(f"{WHAT[bucket]}: {gib(most)} at most"))
            yield element("path", title, d="".join(outlines), fill=FILL[bucket], data_bucket=bucket.value, data_most=most)


def _outline(span: PhaseSpan, bucket: Bucket, scale: Scale) -> str:
    edges = [(knot.x, *span.edges(bucket, knot)) for knot in span.knots]
    if all(low == high for _, low, high in edges):
        return ""
    over = [(x, scale.at(high)) for x, _, high in edges]
    under = [(x, scale.at(low)) for x, low, _ in reversed(edges)]
    return closed([*over, *under])


def silhouette(course: list[PhaseSpan], scale: Scale) -> str:
    """The outline of the whole stack."""
    outlines = []
    for span in course:
        top = [(knot.x, scale.at(span.edges(STACK[-1], knot)[1])) for knot in span.knots]
        outlines.append(closed([(span.left, scale.start), *top, (span.right, scale.start)]))
    return "".join(outlines)


@record
class _Place:
    """Where a name can stand, how thick its band is there, how wide its phase is, and how far off the middle of it."""

    x: float
    y: float
    room: float
    wide: float
    off: float


def names(course: list[PhaseSpan], scale: Scale, avoid: tuple[float, ...]) -> Iterator[str]:
    """The name of each bucket where its band is thickest, clear of the lines at the heights to ``avoid``."""
    for bucket in STACK:
        wide = width(WHAT[bucket], SMALL) + 8
        found = [place for span in course for place in _places(span, bucket, scale, wide, avoid)]
        if found:
            yield from _name(bucket, wide, max(found, key=lambda place: (round(place.room), place.wide, -place.off)))


def _name(bucket: Bucket, wide: float, at: _Place) -> Iterator[str]:
    """On a ground of its own, for where the band is hatched."""
    fill = FILL[bucket]
    yield element("rect", x=at.x - wide / 2 + 1, y=at.y - LINE / 2 + 0.5, width=wide - 2, height=LINE - 1, rx=3, fill=fill)
    place: dict[str, Value] = {"x": at.x, "y": at.y + SMALL * 0.36, "text_anchor": "middle", "font_size": SMALL}
    yield element("text", escaped(WHAT[bucket]), **place, fill=on(fill), data_name=bucket.value)


def _places(span: PhaseSpan, bucket: Bucket, scale: Scale, wide: float, avoid: tuple[float, ...]) -> Iterator[_Place]:
    left = span.left
    while left + wide <= span.right:
        places = [left + wide * part / 6 for part in range(7)] + [knot.x for knot in span.knots if left < knot.x < left + wide]
        edges = [span.between(bucket, x) for x in places]
        floor, roof = min(scale.at(low) for low, _ in edges), max(scale.at(high) for _, high in edges)
        middle = (floor + roof) / 2
        if floor - roof >= LINE and all(abs(middle - y) > LINE / 2 + 2 for y in avoid):
            x = left + wide / 2
            yield _Place(x, middle, floor - roof, span.right - span.left, abs(x - (span.left + span.right) / 2))
        left += STEP
