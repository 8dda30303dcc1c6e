"""The verdict that all readings of a run agree on, or on what it depends.

Only for a run whose range decides nothing, or in which a variable stands where a word belongs. Each open thing (`axes`) is read in every
way alone, then those that change the need together, `limits.JOINT_READINGS` in all. Where the readings agree, the verdict is theirs;
where not it is unknown, and the forks say how it is with each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from budgetlint.base.limits import JOINT_READINGS
from budgetlint.base.record import field, replace, state
from budgetlint.memory.estimate import PROGRAM, Estimate, Excess, Fork, ForkReading, Opened, Range, Verdict
from budgetlint.memory.need import verdict
from budgetlint.memory.peak import Sums
from budgetlint.memory.standing import Capacity, if_short
from budgetlint.memory.unmodelled import TABLE
from budgetlint.memory.unstated import agree, by_plans, each, unseen
from budgetlint.resolve.axes import Answer, Asking, Axis, AxisChoice, is_unwritten, joined, open_packages, open_settings, values_of
from budgetlint.resolve.excess import excess_of, plain_excess
from budgetlint.resolve.fork_table import JointReading, Table, extremes, forks_of, with_adapters_bounded
from budgetlint.resolve.ladders import by_rungs, ladder_of
from budgetlint.settings.run import Settings, Stack

SURE = (Verdict.FITS, Verdict.DOES_NOT_FIT)


def decided(estimate: Estimate, first: Answer, stack: Stack, capacity: Capacity | None, asking: Asking) -> Estimate:
    """The estimate with the verdict of all readings, or with what it depends on. ``first`` is the run as it is known: the bill and the
    best figure stay its own, the ends become those of all readings."""
    found = _decided(estimate, first, stack, capacity, asking)
    if found.verdict is Verdict.UNKNOWN and found.excess is None and capacity is not None and first.planned.plans:
        return replace(found, excess=plain_excess(first, asking, capacity))
    return found


def _decided(estimate: Estimate, first: Answer, stack: Stack, capacity: Capacity | None, asking: Asking) -> Estimate:
    found = _with_places(estimate, first.settings)
    if capacity is None or not first.planned.plans:
        return found
    lacking = _lacking(first, found)
    if lacking:
        return _along(ladder_of(lacking, first.settings), first, found, capacity, asking)
    if _is_cut(first, capacity):
        return _by_length(first, found, capacity, asking.sums)
    if found.verdict in SURE and not any(map(is_unwritten, first.settings.values())):
        return found
    asked = _Asked(asking, capacity)
    table = _table(_axes(first, stack, asking), asked)
    if table is None:
        return _of_plans(first, replace(found, verdict=_by_range(found.need, capacity), missing=()), capacity, asking.sums)
    table = with_adapters_bounded(table, capacity.usable_low)
    read = list(table.cells.values())
    found = replace(found, need=extremes(found.need.bytes, [one.need for one in read]))
    if all(one.verdict is Verdict.UNKNOWN for one in read):
        return _of_plans(read[0].answer, found, capacity, asking.sums)
    return _told(found, table, excess_of(table, capacity, asking.sums))


def _lacking(first: Answer, found: Estimate) -> list[str]:
    """The settings that are missing and have no readings."""
    return [name for name in found.missing if name not in first.settings or not values_of(first.settings[name])]


def _along(name: str, first: Answer, found: Estimate, capacity: Capacity, asking: Asking) -> Estimate:
    """With what the verdict is along the one number that is missing."""
    return by_rungs(found, name, first, asking, lambda answer: _verdict(answer, capacity, asking.sums)) if name else found


def _with_places(found: Estimate, settings: Settings) -> Estimate:
    """Where what is missing stands: a setting, or the line that asks for what is not modelled."""
    told = {one.name for one in found.opened}
    if told - {PROGRAM}:
        return found
    stand = [
        (name, settings.get(name) or (settings.get("unmodelled") or settings.get("model") if name in TABLE else None))
        for name in found.missing
    ]
    places = (Opened(name, one.origin.location, one.text) for name, one in stand if one is not None and one.origin.location)
    return replace(found, opened=(*found.opened, *places))


# -- asking ------------------------------------------------------------------------------------------------------------------


@state
class _Asked:
    """Asks nothing twice, and counts. ``idle``: what something else fills in and changes no figure."""

    asking: Asking
    capacity: Capacity
    known: dict[tuple[tuple[str, str], ...], JointReading] = field(default_factory=dict)
    idle: set[str] = field(default_factory=set)

    def reading(self, choices: Mapping[str, AxisChoice]) -> JointReading:
        key = tuple((name, choice.words) for name, choice in sorted(choices.items()))
        if key not in self.known:
            answer = self.asking.answer(choices)
            self.known[key] = JointReading(answer.standing.need, _verdict(answer, self.capacity, self.asking.sums), answer)
        found = self.known[key]
        return replace(found, verdict=Verdict.UNKNOWN) if self._is_one_end(found.answer.settings) else found

    def _is_one_end(self, settings: Settings) -> bool:
        """Is a reading only what the run would be without what something else fills in?"""
        return any(is_unwritten(one) and one.name not in self.idle for one in settings.values())

    def has_room(self, count: int) -> bool:
        return len(self.known) + count <= JOINT_READINGS.most


def _verdict(answer: Answer, capacity: Capacity, sums: Sums) -> Verdict:
    """Of one reading: unknown where its plans disagree. What is missing of it has readings, so its range covers them."""
    found = answer.standing
    if found.verdict in SURE or found.need.high is None or _is_cut(answer, capacity):
        return found.verdict if found.verdict in SURE else Verdict.UNKNOWN
    by_range = _by_range(found.need, capacity)
    if by_range is not Verdict.TIGHT or len(answer.planned.plans) == 1:
        return by_range
    return Verdict.TIGHT if agree(list(each(answer.planned, capacity, sums))) else Verdict.UNKNOWN


def _by_range(need: Range, capacity: Capacity) -> Verdict:
    return verdict(need, (capacity.usable_low, capacity.usable_high), capacity.reserve, judged=True)


# -- what is open ------------------------------------------------------------------------------------------------------------


def _axes(first: Answer, stack: Stack, asking: Asking) -> list[Axis]:
    """Packages first; then the settings that stay open whichever versions run."""
    packages = list(open_packages(stack, asking.unanswered()))
    newest = asking.answer({axis.name: axis.choices[0] for axis in packages}) if packages else first
    return [*packages, *open_settings(newest.settings)]


def _table(axes: Sequence[Axis], asked: _Asked) -> Table | None:
    """The joint readings of the axes that change the need, the one that narrows it most first, and only as many as it takes until every
    reading has a verdict. None where no axis changes anything."""
    moving = [axis for axis in axes if len(set(map(_figures, _ends(axis, asked)))) > 1]
    asked.idle.update(axis.name for axis in axes if axis not in moving)
    ends = [(_open_still(_ends(axis, asked)), axis) for axis in moving]
    table = Table((), {})
    for _, axis in sorted(ends, key=lambda one: one[0]):
        if table.axes and all(one.verdict is not Verdict.UNKNOWN for one in table.cells.values()):
            break
        if asked.has_room(len(axis.choices)):  # else it stays open in every reading: their ranges hold both ends of it
            table = _finer(table, _without_repeats(axis, asked), asked)
    return table if table.axes else None


def _ends(axis: Axis, asked: _Asked) -> tuple[JointReading, JointReading]:
    return asked.reading({axis.name: axis.choices[0]}), asked.reading({axis.name: axis.choices[-1]})


def _figures(one: JointReading) -> tuple[Range, Verdict]:
    return one.need, one.verdict


def _without_repeats(axis: Axis, asked: _Asked) -> Axis:
    """Choices that change nothing are one: neighbouring epochs, and any two values of a setting."""
    kept: list[AxisChoice] = []
    seen: list[tuple[Range, Verdict]] = []
    for choice in axis.choices:
        one = asked.reading({axis.name: choice})
        if _figures(one) not in (seen[-1:] if choice.release else seen):
            kept.append(choice)
            seen.append(_figures(one))
        elif choice.release:
            kept[-1] = joined(kept[-1], choice)
            asked.known[(axis.name, kept[-1].words),] = one
    return Axis(axis.opened, tuple(kept))


def _open_still(readings: Iterable[JointReading]) -> tuple[int, int]:
    """How many of the readings have no verdict, and bytes between their ends: what an axis leaves open."""
    found = list(readings)
    widths = ((one.need.bytes * 2 if one.need.high is None else one.need.high) - one.need.low for one in found)
    return sum(one.verdict is Verdict.UNKNOWN for one in found), sum(widths)


def _finer(table: Table, axis: Axis, asked: _Asked) -> Table:
    """The readings by one more axis, where nothing is decided yet: what more is known changes no verdict that is sure."""
    cells: dict[tuple[int, ...], JointReading] = {}
    coarse: Mapping[tuple[int, ...], JointReading | None] = table.cells or {(): None}
    for where, one in coarse.items():
        chosen = {table.axes[at].name: table.axes[at].choices[place] for at, place in enumerate(where)}
        for place, choice in enumerate(axis.choices):
            decided_already = one is not None and (one.verdict is not Verdict.UNKNOWN or not asked.has_room(1))
            cells[(*where, place)] = one if one is not None and decided_already else asked.reading(chosen | {axis.name: choice})
    return Table((*table.axes, axis), cells)


def _told(found: Estimate, table: Table, excess: Excess | None) -> Estimate:
    verdicts = {one.verdict for one in table.cells.values()}
    if len(verdicts) == 1:
        return replace(found, verdict=verdicts.pop(), missing=(), opened=())
    forks = tuple(sorted(forks_of(table), key=lambda fork: -fork.spread))
    return replace(found, verdict=Verdict.UNKNOWN, forks=forks, excess=excess)


# -- lengths, and what the planner leaves open ---------------------------------------------------------------------------------


def _is_cut(answer: Answer, capacity: Capacity) -> bool:
    """Too large at the length that it is cut at, and not on shorter samples (`standing.if_short`)."""
    found, plan = answer.standing, answer.planned.plans[0]
    cut = found.verdict is Verdict.TIGHT or (found.verdict is Verdict.UNKNOWN and plan.cutoff and plan.seq is not None)
    return cut and found.need.low > capacity.usable_high


def _by_length(first: Answer, found: Estimate, capacity: Capacity, sums: Sums) -> Estimate:
    plan, short = first.planned.plans[0], if_short(first.planned, capacity, sums)
    length = first.settings.get("seq_len")
    opened = Opened("seq_len", length.origin.location if length else None, length.text if length else "")
    longest = ForkReading((f"samples of {plan.seq:,} tokens",), "as long as they may be", found.need, Verdict.DOES_NOT_FIT)
    shortest = ForkReading(("short samples",), "the data decides", short.need, short.verdict)
    need = extremes(found.need.bytes, (found.need, short.need))
    return replace(found, need=need, verdict=Verdict.UNKNOWN, forks=(Fork((opened,), (longest, shortest)),))


def _of_plans(first: Answer, found: Estimate, capacity: Capacity, sums: Sums) -> Estimate:
    """No version and no setting with readings decides: what the planner leaves open may."""
    if found.verdict in SURE or found.need.high is None:
        return found
    answers = list(each(first.planned, capacity, sums))
    if agree(answers):
        return replace(found, verdict=Verdict.TIGHT)
    lacking = unseen(first.planned, first.settings)
    if lacking:
        return _with_places(replace(found, verdict=Verdict.UNKNOWN, missing=lacking), first.settings)
    name, readings = by_plans(first.planned, answers)
    said = first.settings.get(name)
    opened = Opened(name, said.origin.location if said else None, said.text if said else "")
    return replace(found, verdict=Verdict.UNKNOWN, forks=(Fork((opened,), readings),))
