"""The joint readings of a run as a table, and the forks that it comes to: which axes change the verdict, and how it is with each choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from budgetlint.base.record import record, replace
from budgetlint.memory.estimate import Fork, ForkReading, Range, Verdict
from budgetlint.resolve.axes import Answer, Axis, joined
from budgetlint.settings.run import Setting, Settings


@record
class JointReading:
    """How a run is, read in one way."""

    need: Range
    verdict: Verdict
    answer: Answer


@record
class Table:
    """Every joint reading of some axes, by the places of their choices."""

    axes: tuple[Axis, ...]
    cells: Mapping[tuple[int, ...], JointReading]


def extremes(best: int, needs: Iterable[Range]) -> Range:
    every = list(needs)
    highs = [need.high for need in every if need.high is not None]
    high = max(best, *highs) if len(highs) == len(every) else None
    return Range(best, min(best, *(need.low for need in every)), high)


ADAPTER, ANY_OTHER, WITHOUT = "adapter", "other", "none"
AT_MOST = 2
"""An adapter that is not known needs at most so many times what training every weight does. Weights are the same, gradients and states
are fewer; its dropout keeps one more copy of each linear's input (PEFT 0.21.2 `tuners/lora/layer.py` `Linear.forward`), which the linear
keeps already. Of 72 bills (five models, ranks 16 and 256, batches of 128 to 32,768 tokens) the largest is 1.5 times."""


def with_adapters_bounded(table: Table, usable: int | None) -> Table:
    """An adapter of which nothing is known fits wherever training every weight takes at most half of the device (bytes)."""
    at = next((number for number, axis in enumerate(table.axes) if axis.name == ADAPTER), None)
    words = [choice.words for choice in table.axes[at].choices] if at is not None else []
    if at is None or usable is None or not {ANY_OTHER, WITHOUT} <= set(words):
        return table
    other, without = words.index(ANY_OTHER), words.index(WITHOUT)
    cells = dict(table.cells)
    for where, one in table.cells.items():
        full = table.cells[(*where[:at], without, *where[at + 1 :])]
        bound = full.need.high * AT_MOST if full.need.high is not None else None
        if where[at] == other and one.verdict is Verdict.UNKNOWN and full.verdict is Verdict.FITS and bound is not None and bound <= usable:
            cells[where] = replace(one, verdict=Verdict.FITS, need=Range(one.need.bytes, one.need.low, bound))
    return replace(table, cells=cells)


def forks_of(table: Table) -> Iterator[Fork]:
    """The axes that change the verdict, each by itself; before them all of them together, where none decides alone."""
    table = _merged(table)
    deciding = [at for at, axis in enumerate(table.axes) if len(axis.choices) > 1 and _decides(table, at)]
    singles = [_fork(table, (at,)) for at in deciding or range(len(table.axes))]
    if len(deciding) > 1 and not any(_is_sure(fork) for fork in singles):
        yield _fork(table, tuple(deciding))
    yield from (fork for fork in singles if len(fork.readings) > 1)


def _is_sure(fork: Fork) -> bool:
    return all(reading.verdict is not Verdict.UNKNOWN for reading in fork.readings)


def _decides(table: Table, at: int) -> bool:
    """Is there a reading whose verdict changes with this axis alone?"""
    slices = {_slice(table, at, place) for place in range(len(table.axes[at].choices))}
    return len(slices) > 1


def _slice(table: Table, at: int, place: int) -> tuple[Verdict, ...]:
    return tuple(one.verdict for where, one in sorted(table.cells.items()) if where[at] == place)


def _merged(table: Table) -> Table:
    """Neighbouring epochs of a package that agree in every reading are one."""
    for at, axis in enumerate(table.axes):
        place = 1
        while place < len(axis.choices):
            newer, older = axis.choices[place - 1], axis.choices[place]
            if newer.release is None or _slice(table, at, place - 1) != _slice(table, at, place):
                place += 1
                continue
            axis = Axis(axis.opened, (*axis.choices[: place - 1], joined(newer, older), *axis.choices[place + 1 :]))
            table = Table((*table.axes[:at], axis, *table.axes[at + 1 :]), _folded(table.cells, at, place))
    return table


def _folded(cells: Mapping[tuple[int, ...], JointReading], at: int, place: int) -> dict[tuple[int, ...], JointReading]:
    """The cells with one place of an axis laid onto the one before it."""
    found: dict[tuple[int, ...], JointReading] = {}
    for where, one in sorted(cells.items()):
        onto = where if where[at] < place else (*where[:at], where[at] - 1, *where[at + 1 :])
        newer = found.get(onto)
        found[onto] = one if newer is None else replace(newer, need=extremes(newer.need.bytes, (newer.need, one.need)))
    return found


def _fork(table: Table, wanted: tuple[int, ...]) -> Fork:
    """The readings of some axes, each over whatever the others are."""
    grouped: dict[tuple[int, ...], list[JointReading]] = {}
    for where, one in sorted(table.cells.items()):
        grouped.setdefault(tuple(where[at] for at in wanted), []).append(one)
    readings = tuple(_reading(table, wanted, places, group, grouped) for places, group in grouped.items())
    return Fork(tuple(table.axes[at].opened for at in wanted), readings)


def _reading(
    table: Table,
    wanted: tuple[int, ...],
    places: tuple[int, ...],
    group: list[JointReading],
    every: Mapping[tuple[int, ...], list[JointReading]],
) -> ForkReading:
    verdicts = {one.verdict for one in group}
    values = tuple(table.axes[at].choices[place].words for at, place in zip(wanted, places, strict=True))
    others = [found[0].answer.settings for where, found in every.items() if where != places]
    because = _because(group[0].answer.settings, others, [table.axes[at].name for at in wanted])
    need = extremes(group[0].need.bytes, [one.need for one in group])
    return ForkReading(values, because, need, verdicts.pop() if len(verdicts) == 1 else Verdict.UNKNOWN)


def _because(settings: Settings, others: list[Settings], names: Sequence[str]) -> str:
    """What is set otherwise than in another reading: ``loss chunked, adapter_dtype bf16``; of a variable what it is: ``${GC}``."""
    known = [one for one in settings.values() if one.known and one.name not in names]
    differing = [f"{one.name} {one.value}" for one in known if any(_is_other(one.value, other.get(one.name)) for other in others)]
    return ", ".join(differing) or ", ".join(f"{name} is {settings[name].text}" for name in names if name in settings)


def _is_other(value: object, setting: Setting | None) -> bool:
    return setting is not None and setting.value != value
