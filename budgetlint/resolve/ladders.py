"""A number that nobody states, read rung by rung: on how many devices, and up to which length or batch, the run fits.

One such number leaves a range with an open end, and yet along it the need goes one way only: the rungs are exact readings, and where the
verdict changes between two of them is what the user wants to know. Nothing is said of what lies beyond the last rung.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from budgetlint.base.record import record, replace
from budgetlint.memory.estimate import Estimate, Fork, ForkReading, Opened, Range, Verdict
from budgetlint.memory.standing import WORLDS
from budgetlint.resolve.axes import Answer, Asking, AxisChoice
from budgetlint.resolve.fork_table import extremes
from budgetlint.settings.run import Settings


@record
class Ladder:
    """``rungs``: values to read, growing. ``grows``: does the need grow with the value? Then no rung speaks for what is above the last,
    save that it does not fit either; the last rung of one that shrinks stands for *very many*. ``least``: below it is no workload, only
    the least that any value can need. ``ends``: no value is above the last rung."""

    unit: str
    rungs: tuple[int, ...]
    grows: bool
    least: int = 1
    ends: bool = False


LADDERS: Mapping[str, Ladder] = {
    "devices": Ladder("device", (1, *WORLDS), grows=False),
    "seq_len": Ladder("token", (1, *(2**power for power in range(7, 18))), grows=True, least=128),
    "micro_batch": Ladder("sequence", tuple(2**power for power in range(11)), grows=True),
}


def ladder_of(lacking: Collection[str], settings: Settings) -> str:
    """The one number that is missing, where it is written nowhere or in a way that nobody can read; empty where more is missing."""
    name = next(iter(lacking)) if len(lacking) == 1 else ""
    return name if name in LADDERS and not (name in settings and settings[name].known) else ""


def by_rungs(found: Estimate, name: str, first: Answer, asking: Asking, judge: Callable[[Answer], Verdict]) -> Estimate:
    """The estimate with a fork along that number, or with the verdict of every rung. Itself where too little is known to name one that
    fits: more is open than the number."""
    ladder = _bounded(LADDERS[name], _most(first, asking)) if name == "seq_len" else LADDERS[name]
    read = list(_read(name, ladder, _ranks(first) if name == "devices" else 1, asking, judge))
    kept = _joined(read, ladder)
    if len(kept) == 1 and (kept[0][3] is Verdict.DOES_NOT_FIT or not ladder.grows) and kept[0][3] is not Verdict.UNKNOWN:
        return replace(found, verdict=kept[0][3], missing=(), opened=())
    if len(kept) == 1 and ladder.ends and kept[0][3] is not Verdict.UNKNOWN:
        return replace(found, verdict=kept[0][3], need=extremes(found.need.bytes, [need for _, need, _ in read]), missing=(), opened=())
    kept = _joined([one for one in read if one[0] >= ladder.least], ladder)
    verdicts = {verdict for *_, verdict in kept}
    if not verdicts or (Verdict.UNKNOWN in verdicts and Verdict.FITS not in verdicts):
        return found
    stated = first.settings.get(name)
    opened = Opened(name, stated.origin.location if stated else None, stated.text if stated else "")
    return replace(found, verdict=Verdict.UNKNOWN, forks=(Fork((opened,), tuple(_readings(kept, ladder))),))


def _most(first: Answer, asking: Asking) -> int | None:
    """The longest sequence that the run can take: a table of learned positions has no row for more (transformers 5.9.0 modeling_gpt2.py
    ``wpe``), and some programs stop there or cut."""
    arch = first.planned.plans[0].arch
    return arch.max_positions if arch.position == "learned" or asking.ends_at_positions else None


def _bounded(ladder: Ladder, most: int | None) -> Ladder:
    if most is None or most >= ladder.rungs[-1] or most < ladder.least:
        return ladder
    return replace(ladder, rungs=(*(rung for rung in ladder.rungs if rung < most), most), ends=True)


Rung = tuple[int, Range, Verdict]
Stretch = tuple[int, int, Range, Verdict]


def _ranks(first: Answer) -> int:
    """Devices that hold one copy of the model between them: a run has a multiple of them."""
    return first.planned.plans[0].parallel.ranks


def _read(name: str, ladder: Ladder, times: int, asking: Asking, judge: Callable[[Answer], Verdict]) -> Iterator[Rung]:
    for value in [rung * times for rung in ladder.rungs]:
        answer = asking.answer({name: AxisChoice(str(value), value=value, said=True)})
        if name in answer.planned.missing or not answer.planned.plans:
            continue
        yield value, answer.standing.need, judge(answer)


def _joined(read: Sequence[Rung], ladder: Ladder) -> list[Stretch]:
    """Neighbours of one verdict as one."""
    kept: list[Stretch] = []
    for value, need, verdict in read:
        if kept and kept[-1][3] is verdict:
            low, _, before, _ = kept[-1]
            kept[-1] = (low, value, _both(before, need, ladder, fails=verdict is Verdict.DOES_NOT_FIT), verdict)
        else:
            kept.append((value, value, need, verdict))
    return kept


def _both(one: Range, other: Range, ladder: Ladder, *, fails: bool) -> Range:
    """The range of both; the best figure is that of the end which needs most, of what does not fit that which needs least."""
    high = None if one.high is None or other.high is None else max(one.high, other.high)
    return Range(one.bytes if fails is ladder.grows else other.bytes, min(one.low, other.low), high)


def _readings(kept: Sequence[Stretch], ladder: Ladder) -> Iterator[ForkReading]:
    last = kept[-1][1]
    for low, high, need, verdict in kept:
        yield ForkReading((_words(low, high, verdict, ladder, is_last=high == last),), "", need, verdict)
    *_, need, verdict = kept[-1]
    if ladder.grows and not ladder.ends and verdict is not Verdict.DOES_NOT_FIT:
        yield ForkReading((f"more than {last:,} {ladder.unit}s",), "", replace(need, low=need.low, high=None), Verdict.UNKNOWN)


def _words(low: int, high: int, verdict: Verdict, ladder: Ladder, *, is_last: bool) -> str:
    """``1 device``, ``2 to 4 devices``, ``8 devices or more``, ``up to 4,096 tokens``."""
    plural = ladder.unit if high == 1 else f"{ladder.unit}s"
    if is_last and (verdict is Verdict.DOES_NOT_FIT or not ladder.grows):
        return f"{low:,} {ladder.unit if low == 1 else plural} or more"
    if ladder.grows and low == max(ladder.least, ladder.rungs[0]) and high > 1:
        return f"up to {high:,} {plural}"
    return f"{low:,} {plural}" if low == high else f"{low:,} to {high:,} {plural}"
