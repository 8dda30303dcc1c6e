"""The readings of several settings told shortly: a line for each set of readings that agree, by as few of the settings as tell them apart.

Eight readings of three settings are often three lines: ``fits with adapter lora``, ``fits with adapter none and quant nf4``, ``does not fit
with adapter none and quant none``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from budgetlint.base.record import record
from budgetlint.memory.estimate import Fork, ForkReading, Verdict


@record
class FoldedLine:
    """Readings of one verdict: what they have in common, by the place of the setting, and the one whose figure is shown."""

    common: tuple[tuple[int, str], ...]
    shown: ForkReading


def folded(fork: Fork) -> list[FoldedLine]:
    """The fewest lines that say every reading, those of the fewest settings first."""
    lines = _lines(fork.readings, tuple(range(len(fork.settings))))
    return sorted(lines, key=lambda line: len(line.common))


def _lines(readings: Sequence[ForkReading], free: Sequence[int]) -> list[FoldedLine]:
    verdicts = {one.verdict for one in readings}
    if len(verdicts) == 1:
        return [FoldedLine((), _shown(readings))]
    if not free:
        return [FoldedLine((), one) for one in readings]
    tried = (_by(readings, at, [one for one in free if one != at]) for at in free)
    return min(tried, key=lambda lines: (len(lines), sum(len(line.common) for line in lines)))


def _by(readings: Sequence[ForkReading], at: int, others: Sequence[int]) -> list[FoldedLine]:
    groups: dict[str, list[ForkReading]] = {}
    for one in readings:
        groups.setdefault(one.values[at], []).append(one)
    if len(groups) == 1:
        return _lines(readings, others)
    found = ((value, line) for value, group in groups.items() for line in _lines(group, others))
    return [FoldedLine(tuple(sorted(((at, value), *line.common))), line.shown) for value, line in found]


def _shown(readings: Sequence[ForkReading]) -> ForkReading:
    """Of what does not fit that which needs least, else that which needs most."""
    least = readings[0].verdict is Verdict.DOES_NOT_FIT
    return min(readings, key=lambda one: one.need.bytes if least else -one.need.bytes)


def of_every_verdict(verdicts: Sequence[Verdict], most: int) -> list[int]:
    """Which of some lines are told, where only so many may be: one of each verdict before a second of any."""
    first: Mapping[Verdict, int] = {verdict: at for at, verdict in reversed(list(enumerate(verdicts)))}
    wanted = [*sorted(first.values()), *(at for at in range(len(verdicts)) if at not in first.values())]
    return sorted(wanted[:most])
