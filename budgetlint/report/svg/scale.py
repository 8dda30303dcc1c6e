"""From bytes to pixels, and the round figures on the axis."""

from __future__ import annotations

from budgetlint.base.record import record
from budgetlint.base.units import GIB, KIB, MIB, TIB

ROOM = 1.06
"""What the axis has above the highest figure."""

FAR = 3
"""A limit so many times higher than the need is told, not drawn: the picture is of the need."""

UNITS = ((2 * TIB, TIB, "TiB"), (GIB, GIB, "GiB"), (MIB, MIB, "MiB"), (0, KIB, "KiB"))


@record
class Scale:
    """``top`` bytes at ``end``, none at ``start``; pixels may grow either way."""

    top: int
    start: float
    end: float

    def at(self, size: float) -> float:
        return self.start + (self.end - self.start) * size / self.top

    def clipped(self, size: float) -> float:
        """No further than the end of the axis."""
        return self.at(min(size, self.top))

    @property
    def unit(self) -> tuple[int, str]:
        """Bytes and name of the unit that the axis counts in."""
        return next((size, name) for least, size, name in UNITS if self.top >= least)

    def figure(self, size: int) -> str:
        """In the unit of the axis, which names it."""
        return f"{size / self.unit[0]:,.2f}"

    def ticks(self, most: int = 6) -> list[tuple[int, str]]:
        """Round figures from none to the top, with their texts."""
        unit, _ = self.unit
        step = _round(self.top / unit / most)
        return [(int(n * step * unit), f"{n * step:,.10g}") for n in range(int(self.top / unit / step) + 1)]


def _round(least: float) -> float:
    """The least of 1, 2, 5, 10, 20, … that is not less."""
    step = 0.01
    while True:
        for factor in (1, 2, 5):
            if factor * step >= least:
                return factor * step
        step *= 10


def top_of(needs: list[tuple[int, int | None]], limits: list[int]) -> int:
    """Where an axis ends: over every need with its range (of which no more than half as much again is drawn), and over every limit
    that is not far above them."""
    need = max([*(max(best, min(high or best, best * 3 // 2)) for best, high in needs), 1])
    near = [limit for limit in limits if limit <= FAR * need]
    return int(max([need, *near]) * ROOM)
