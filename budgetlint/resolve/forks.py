"""The verdict that all readings of a run agree on, or on what it depends.

Only for a run whose range decides nothing, or in which a variable stands where a word belongs. Each open thing (`axes`) is read in every
way alone, then those that change the need together, `limits.JOINT_READINGS` in all. Where the readings agree, the verdict is theirs;
where not it is unknown, and the forks say how it is with each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from budgetlint.base.limits import JOINT_READINGS
from budgetlint.base.record import field, record, replace, state
from budgetlint.memory.estimate import Estimate, Fork, ForkReading, Opened, Range, Verdict
from budgetlint.memory.estimator import Capacity, if_short
from budgetlint.memory.need import verdict
from budgetlint.memory.unmodelled import TABLE
from budgetlint.memory.unstated import agree, by_plans, each, unseen
from budgetlint.resolve.axes import Answer, Asking, Axis, Choice, is_unwritten, joined, open_packages, open_settings, values_of
from budgetlint.settings.run import Setting, Settings, Stack

SURE = (Verdict.FITS, Verdict.DOES_NOT_FIT)


def decided(first: Answer, stack: Stack, capacity: Capacity | None, asking: Asking) -> Estimate:
    """The estimate with the verdict of all readings, or with what it depends on. ``first`` is the run as it is known: the bill and the
    best figure stay its own, the ends become those of all readings."""
    found = _with_places(first.estimate, first.settings)
    if capacity is None or not first.planned.plans or _lacks(first):
        return found
    if _is_cut(found):
        return _by_length(first, found, capacity)
    if found.verdict in SURE and not any(map(is_unwritten, first.settings.values())):
        return found
    asked = _Asked(asking, capacity)
    table = _table(_axes(first, stack, asking), asked)
    if table is None:
        return _of_plans(first, replace(found, verdict=_by_range(found, capacity), missing=()), capacity)
    read = list(table.cells.values())
    found = replace(found, need=_extremes(found.need.bytes, [one.need for one in read]))
    if all(one.verdict is Verdict.UNKNOWN for one in read):
        return _of_plans(read[0].answer, found, capacity)
    return _told(found, table)


def _lacks(first: Answer) -> bool:
    """Is a setting missing that has no readings?"""
    return any(not values_of(first.settings[name]) if name in first.settings else True for name in first.estimate.missing)


def _with_places(found: Estimate, settings: Settings) -> Estimate:
    """Where what is missing stands: a setting, or the line that asks for what is not modelled."""
    if found.opened:
        return found
    stand = [(name, settings.get(name) or (settings.get("unmodelled") if name in TABLE else None)) for name in found.missing]
    places = (Opened(name, one.origin.location, one.text) for name, one in stand if one is not None and one.origin.location)
    return replace(found, opened=tuple(places))


# -- asking ------------------------------------------------------------------------------------------------------------------


@record
class _Reading:
    """How a run is, read in one way."""

    need: Range
    verdict: Verdict
    answer: Answer


@state
class _Asked:
    """Asks nothing twice, and counts."""

    asking: Asking
    capacity: Capacity
    known: dict[tuple[tuple[str, str], ...], _Reading] = field(default_factory=dict)

    def reading(self, choices: Mapping[str, Choice]) -> _Reading:
        key = tuple((name, choice.words) for name, choice in sorted(choices.items()))
        if key not in self.known:
            answer = self.asking.answer(choices)
            self.known[key] = _Reading(answer.estimate.need, _verdict(answer, self.capacity), answer)
        return self.known[key]

    def has_room(self, count: int) -> bool:
        return len(self.known) + count <= JOINT_READINGS.most


def _verdict(answer: Answer, capacity: Capacity) -> Verdict:
    """Of one reading: unknown where its plans disagree. What is missing of it has readings, so its range covers them."""
    found = answer.estimate
    if found.verdict in SURE or found.need.high is None or _is_cut(found):
        return found.verdict if found.verdict in SURE else Verdict.UNKNOWN
    by_range = _by_range(found, capacity)
    if by_range is not Verdict.TIGHT or len(answer.planned.plans) == 1:
        return by_range
    return Verdict.TIGHT if agree(list(each(answer.planned, capacity))) else Verdict.UNKNOWN


def _by_range(found: Estimate, capacity: Capacity) -> Verdict:
    return verdict(found.need, (capacity.usable_low, capacity.usable_high), capacity.reserve, judged=True)


# -- what is open ------------------------------------------------------------------------------------------------------------


def _axes(first: Answer, stack: Stack, asking: Asking) -> list[Axis]:
    """Packages first; then the settings that stay open whichever versions run."""
    packages = list(open_packages(stack, asking.unanswered()))
    newest = asking.answer({axis.name: axis.choices[0] for axis in packages}) if packages else first
    return [*packages, *open_settings(newest.settings)]


@record
class _Table:
    """Every joint reading of some axes, by the places of their choices."""

    axes: tuple[Axis, ...]
    cells: Mapping[tuple[int, ...], _Reading]


def _table(axes: Sequence[Axis], asked: _Asked) -> _Table | None:
    """The joint readings of the axes that change the need, the one that narrows it most first, and only as many as it takes until every
    reading has a verdict. None where no axis changes anything."""
    ends = [(_open_still(both), axis) for axis in axes if len(set(map(_figures, both := _ends(axis, asked)))) > 1]
    table = _Table((), {})
    for _, axis in sorted(ends, key=lambda one: one[0]):
        if table.axes and all(one.verdict is not Verdict.UNKNOWN for one in table.cells.values()):
            break
        if asked.has_room(len(axis.choices)):  # else it stays open in every reading: their ranges hold both ends of it
            table = _finer(table, _without_repeats(axis, asked), asked)
    return table if table.axes else None


def _ends(axis: Axis, asked: _Asked) -> tuple[_Reading, _Reading]:
    return asked.reading({axis.name: axis.choices[0]}), asked.reading({axis.name: axis.choices[-1]})


def _figures(one: _Reading) -> tuple[Range, Verdict]:
    return one.need, one.verdict


def _without_repeats(axis: Axis, asked: _Asked) -> Axis:
    """Choices that change nothing are one: neighbouring epochs, and any two values of a setting."""
    kept: list[Choice] = []
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


def _open_still(readings: Iterable[_Reading]) -> tuple[int, int]:
    """How many of the readings have no verdict, and bytes between their ends: what an axis leaves open."""
    found = list(readings)
    widths = ((one.need.bytes * 2 if one.need.high is None else one.need.high) - one.need.low for one in found)
    return sum(one.verdict is Verdict.UNKNOWN for one in found), sum(widths)


def _finer(table: _Table, axis: Axis, asked: _Asked) -> _Table:
    """The readings by one more axis, where nothing is decided yet: what more is known changes no verdict that is sure."""
    cells: dict[tuple[int, ...], _Reading] = {}
    coarse: Mapping[tuple[int, ...], _Reading | None] = table.cells or {(): None}
    for where, one in coarse.items():
        chosen = {table.axes[at].name: table.axes[at].choices[place] for at, place in enumerate(where)}
        for place, choice in enumerate(axis.choices):
            decided_already = one is not None and (one.verdict is not Verdict.UNKNOWN or not asked.has_room(1))
            cells[(*where, place)] = one if one is not None and decided_already else asked.reading(chosen | {axis.name: choice})
    return _Table((*table.axes, axis), cells)


# -- what it comes to --------------------------------------------------------------------------------------------------------


def _told(found: Estimate, table: _Table) -> Estimate:
    verdicts = {one.verdict for one in table.cells.values()}
    if len(verdicts) == 1:
        return replace(found, verdict=verdicts.pop(), missing=(), opened=())
    return replace(found, verdict=Verdict.UNKNOWN, forks=tuple(sorted(_forks(table), key=lambda fork: -fork.spread)))


def _extremes(best: int, needs: Iterable[Range]) -> Range:
    every = list(needs)
    highs = [need.high for need in every if need.high is not None]
    high = max(best, *highs) if len(highs) == len(every) else None
    return Range(best, min(best, *(need.low for need in every)), high)


def _forks(table: _Table) -> Iterator[Fork]:
    """The axes that change the verdict, each by itself; before them all of them together, where none decides alone."""
    table = _merged(table)
    deciding = [at for at, axis in enumerate(table.axes) if len(axis.choices) > 1 and _decides(table, at)]
    singles = [_fork(table, (at,)) for at in deciding or range(len(table.axes))]
    if len(deciding) > 1 and not any(_is_sure(fork) for fork in singles):
        yield _fork(table, tuple(deciding))
    yield from (fork for fork in singles if len(fork.readings) > 1)


def _is_sure(fork: Fork) -> bool:
    return all(reading.verdict is not Verdict.UNKNOWN for reading in fork.readings)


def _decides(table: _Table, at: int) -> bool:
    """Is there a reading whose verdict changes with this axis alone?"""
    slices = {_slice(table, at, place) for place in range(len(table.axes[at].choices))}
    return len(slices) > 1


def _slice(table: _Table, at: int, place: int) -> tuple[Verdict, ...]:
    return tuple(one.verdict for where, one in sorted(table.cells.items()) if where[at] == place)


def _merged(table: _Table) -> _Table:
    """Neighbouring epochs of a package that agree in every reading are one."""
    for at, axis in enumerate(table.axes):
        place = 1
        while place < len(axis.choices):
            newer, older = axis.choices[place - 1], axis.choices[place]
            if newer.release is None or _slice(table, at, place - 1) != _slice(table, at, place):
                place += 1
                continue
            axis = Axis(axis.opened, (*axis.choices[: place - 1], joined(newer, older), *axis.choices[place + 1 :]))
            table = _Table((*table.axes[:at], axis, *table.axes[at + 1 :]), _folded(table.cells, at, place))
    return table


def _folded(cells: Mapping[tuple[int, ...], _Reading], at: int, place: int) -> dict[tuple[int, ...], _Reading]:
    """The cells with one place of an axis laid onto the one before it."""
    found: dict[tuple[int, ...], _Reading] = {}
    for where, one in sorted(cells.items()):
        onto = where if where[at] < place else (*where[:at], where[at] - 1, *where[at + 1 :])
        newer = found.get(onto)
        found[onto] = one if newer is None else replace(newer, need=_extremes(newer.need.bytes, (newer.need, one.need)))
    return found


def _fork(table: _Table, wanted: tuple[int, ...]) -> Fork:
    """The readings of some axes, each over whatever the others are."""
    grouped: dict[tuple[int, ...], list[_Reading]] = {}
    for where, one in sorted(table.cells.items()):
        grouped.setdefault(tuple(where[at] for at in wanted), []).append(one)
    readings = tuple(_reading(table, wanted, places, group, grouped) for places, group in grouped.items())
    return Fork(tuple(table.axes[at].opened for at in wanted), readings)


def _reading(
    table: _Table, wanted: tuple[int, ...], places: tuple[int, ...], group: list[_Reading], every: Mapping[tuple[int, ...], list[_Reading]]
) -> ForkReading:
    verdicts = {one.verdict for one in group}
    values = tuple(table.axes[at].choices[place].words for at, place in zip(wanted, places, strict=True))
    others = [found[0].answer.settings for where, found in every.items() if where != places]
    because = _because(group[0].answer.settings, others, {table.axes[at].name for at in wanted})
    need = _extremes(group[0].need.bytes, [one.need for one in group])
    return ForkReading(values, because, need, verdicts.pop() if len(verdicts) == 1 else Verdict.UNKNOWN)


def _because(settings: Settings, others: list[Settings], names: set[str]) -> str:
    """What is set otherwise than in another reading: ``loss chunked, adapter_dtype bf16``; of a variable what it is: ``${GC}``."""
    known = [one for one in settings.values() if one.known and one.name not in names]
    differing = [f"{one.name} {one.value}" for one in known if any(_is_other(one.value, other.get(one.name)) for other in others)]
    return ", ".join(differing) or ", ".join(f"{name} is {settings[name].text}" for name in names if name in settings)


def _is_other(value: object, setting: Setting | None) -> bool:
    return setting is not None and setting.value != value


# -- lengths, and what the planner leaves open ---------------------------------------------------------------------------------


def _is_cut(found: Estimate) -> bool:
    """Too large at the length that it is cut at, and not on shorter samples (`estimator.if_short`)."""
    return found.verdict is Verdict.TIGHT and found.usable_high is not None and found.need.low > found.usable_high


def _by_length(first: Answer, found: Estimate, capacity: Capacity) -> Estimate:
    plan, short = first.planned.plans[0], if_short(first.planned, capacity)
    length = first.settings.get("seq_len")
    opened = Opened("seq_len", length.origin.location if length else None, length.text if length else "")
    longest = ForkReading((f"samples of {plan.seq:,} tokens",), "as long as they may be", found.need, Verdict.DOES_NOT_FIT)
    shortest = ForkReading(("short samples",), "the data decides", short.need, short.verdict)
    need = _extremes(found.need.bytes, (found.need, short.need))
    return replace(found, need=need, verdict=Verdict.UNKNOWN, forks=(Fork((opened,), (longest, shortest)),))


def _of_plans(first: Answer, found: Estimate, capacity: Capacity) -> Estimate:
    """No version and no setting with readings decides: what the planner leaves open may."""
    if found.verdict in SURE or found.need.high is None:
        return found
    answers = list(each(first.planned, capacity))
    if agree(answers):
        return replace(found, verdict=Verdict.TIGHT)
    lacking = unseen(first.planned, first.settings)
    if lacking:
        return _with_places(replace(found, verdict=Verdict.UNKNOWN, missing=lacking), first.settings)
    name, readings = by_plans(first.planned, answers)
    said = first.settings.get(name)
    opened = Opened(name, said.origin.location if said else None, said.text if said else "")
    return replace(found, verdict=Verdict.UNKNOWN, forks=(Fork((opened,), readings),))
