"""Colours with their names and figures, in columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from budgetlint.base.units import gib
from budgetlint.memory.term import Bucket
from budgetlint.report.bill import WHAT
from budgetlint.report.svg.element import element, escaped
from budgetlint.report.svg.theme import FILL, LIGHT, STACK, TEXT

COLUMNS, ROW, SWATCH = 4, 20, 11


def rows_of(sizes: Mapping[Bucket, int]) -> int:
    return -(-sum(1 for bucket in STACK if sizes.get(bucket)) // COLUMNS)


def legend(sizes: Mapping[Bucket, int], left: float, right: float, top: float) -> Iterator[str]:
    """What holds something, in the order of the stack; figures at the right of each column."""
    column = (right - left) / COLUMNS
    for place, bucket in enumerate(bucket for bucket in STACK if sizes.get(bucket)):
        x, y = left + column * (place % COLUMNS), top + ROW * (place // COLUMNS)
        yield element("rect", x=x, y=y, width=SWATCH, height=SWATCH, rx=2, fill=FILL[bucket])
        yield _text(WHAT[bucket], x + SWATCH + 6, y, "dim")
        yield _text(gib(sizes[bucket]), x + column - 16, y, "ink", text_anchor="end", data_bytes=sizes[bucket], data_bucket=bucket.value)


def _text(words: str, x: float, y: float, ink: str, **more: str | int) -> str:
    return element("text", escaped(words), x=x, y=y + SWATCH - 1.5, font_size=TEXT, class_=ink, fill=LIGHT[ink], **more)
