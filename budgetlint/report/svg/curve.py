"""The step as a curve: where each moment lies on the time axis, and the band of each bucket."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from budgetlint.base.record import record
from budgetlint.memory.term import Bucket
from budgetlint.memory.timeline import TimelineMoment
from budgetlint.report.svg.theme import STACK

SHARES = {"load": 1.05, "rollout": 2.0, "scoring": 1.3, "forward": 3.15, "backward": 4.7, "step": 1.3, "eval": 1.3}
"""Room on the time axis: not seconds, but what there is to see."""

GAP = 4
KNOTS = {
    ("forward", 3): ((0.0,), (0.57,), (0.8, 1.0)),
    ("backward", 4): ((0.0, 0.14), (0.3,), (0.59,), (0.82, 1.0)),
    ("backward", 5): ((0.0, 0.12), (0.27,), (0.52,), (0.7,), (0.86, 1.0)),
    ("backward", 6): ((0.0, 0.12), (0.24,), (0.44,), (0.56,), (0.76,), (0.88, 1.0)),
    ("rollout", 2): ((0.0,), (0.86, 1.0)),
}
"""Where the moments of a phase stand in it: two places are a plateau, between two moments the line is straight."""


@record
class Knot:
    x: float
    moment: TimelineMoment


@record
class PhaseSpan:
    """One phase on the time axis. ``base`` are buckets that lie under every moment alike."""

    name: str
    knots: tuple[Knot, ...]
    base: dict[Bucket, int]

    @property
    def left(self) -> float:
        return self.knots[0].x

    @property
    def right(self) -> float:
        return self.knots[-1].x

    @property
    def highest(self) -> TimelineMoment:
        return max((knot.moment for knot in self.knots), key=lambda moment: moment.bytes)

    def edges(self, bucket: Bucket, knot: Knot) -> tuple[int, int]:
        """The bytes under a bucket at a knot, and those with it."""
        sizes = {**self.base, **knot.moment.buckets}
        under = sum(max(sizes.get(below, 0), 0) for below in STACK[: STACK.index(bucket)])
        return under, under + max(sizes.get(bucket, 0), 0)

    def between(self, bucket: Bucket, x: float) -> tuple[float, float]:
        """The same anywhere in the phase."""
        left = max((knot for knot in self.knots if knot.x <= x), key=lambda knot: knot.x, default=self.knots[0])
        right = min((knot for knot in self.knots if knot.x >= x), key=lambda knot: knot.x, default=self.knots[-1])
        share = (x - left.x) / (right.x - left.x) if right.x > left.x else 0.0
        (low, high), (later_low, later_high) = self.edges(bucket, left), self.edges(bucket, right)
        return low + share * (later_low - low), high + share * (later_high - high)


def spans(moments: Sequence[TimelineMoment], base: dict[Bucket, int], left: float, right: float) -> list[PhaseSpan]:
    """The phases from ``left`` to ``right``."""
    phases = [(name, list(course)) for name, course in groupby(moments, key=lambda moment: moment.phase)]
    room = right - left - GAP * (len(phases) - 1)
    each = room / sum(SHARES.get(name, 1.0) for name, _ in phases)
    made, x = [], left
    for name, course in phases:
        width = each * SHARES.get(name, 1.0)
        made.append(PhaseSpan(name, tuple(_knots(name, course, x, width)), base))
        x += width + GAP
    return made


def _knots(name: str, course: list[TimelineMoment], left: float, width: float) -> list[Knot]:
    places = KNOTS.get((name, len(course))) or tuple((n / len(course), (n + 1) / len(course)) for n in range(len(course)))
    return [Knot(left + width * at, moment) for moment, ats in zip(course, places, strict=True) for at in ats]


def peak_of(course: list[PhaseSpan]) -> Knot:
    """The highest knot of the step; the middle of it where it is a plateau."""
    span = max(course, key=lambda one: one.highest.bytes)
    places = [knot.x for knot in span.knots if knot.moment is span.highest]
    return Knot(sum(places) / len(places), span.highest)
