"""The trace of a deep model from that of a shallow one: a block of middle layers is played as often as the deep model has it.

Only the allocator's simulation needs it: what it reserves depends on the order of everything. Layers that are alike allocate alike, so the
n-th storage of one visit to a layer stands for the n-th of the same visit to another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from budgetlint.probe.trace import Trace

Place = tuple[int, int, int]
"""A layer, which visit to it, which of the storages made then."""


@dataclass(frozen=True)
class Stretch:
    """Events that ran in one layer, or outside of all (None)."""

    layer: int | None
    start: int
    end: int


def unrolled(trace: Trace, start: int, period: int, copies: int) -> Trace | None:
    """``trace`` with the block of ``period`` layers from ``start`` on played ``copies`` more times. None where the layers turn out not to
    be alike. Phases are not marked."""
    try:
        return _Unroller(trace, start, period, copies).run()
    except (KeyError, IndexError):
        return None


class _Unroller:
    def __init__(self, trace: Trace, start: int, period: int, copies: int) -> None:
        self.trace, self.start, self.period, self.copies = trace, start, period, copies
        self.stretches = list(_stretches(trace))
        self.born: dict[int, Place] = {}
        self.at: dict[Place, int] = {}
        self.deep = Trace(unit=trace.unit)
        self.number: dict[tuple[int | None, int], int] = {}

    def run(self) -> Trace:
        self._births()
        index = 0
        while index < len(self.stretches):
            stretch = self.stretches[index]
            if not self._inside(stretch.layer):
                self._play(stretch, self._moved(stretch.layer))
                index += 1
                continue
            end = index
            while end < len(self.stretches) and self._inside(self.stretches[end].layer):
                end += 1
            self._block(self.stretches[index:end], index)
            index = end
        return self.deep

    def _births(self) -> None:
        visits: dict[int, int] = {}
        for stretch in self.stretches:
            if stretch.layer is None:
                self._orphans(stretch)
                continue
            visit = visits[stretch.layer] = visits.get(stretch.layer, -1) + 1
            made = [event - 1 for event in self.trace.events[stretch.start : stretch.end] if event > 0]
            for order, number in enumerate(made):
                self._bear(number, (stretch.layer, visit, order))

    def _orphans(self, stretch: Stretch) -> None:
        """Made outside of layers, for one of them: optimizer states."""
        orders: dict[int, int] = {}
        for event in self.trace.events[stretch.start : stretch.end]:
            layer = self.trace.held[event - 1].layer if event > 0 else None
            if layer is not None:
                order = orders[layer] = orders.get(layer, -1) + 1
                self._bear(event - 1, (layer, -1 - stretch.start, order))

    def _bear(self, number: int, place: Place) -> None:
        self.born[number] = place
        self.at[place] = number

    # -- layers -------------------------------------------------------------------------------------------------------------

    def _inside(self, layer: int | None) -> bool:
        return layer is not None and self.start <= layer < self.start + self.period

    def _moved(self, layer: int | None) -> int | None:
        """Where a layer outside the block stands in the deep model."""
        return layer if layer is None or layer < self.start else layer + self.copies * self.period

    def _shallow(self, deep: int) -> int:
        if deep < self.start:
            return deep
        over = deep - self.start
        block = (self.copies + 1) * self.period
        return self.start + over % self.period if over < block else deep - self.copies * self.period

    # -- playing ------------------------------------------------------------------------------------------------------------

    def _block(self, stretches: list[Stretch], index: int) -> None:
        before = next((one.layer for one in reversed(self.stretches[:index]) if one.layer is not None), None)
        rising = before is None or before < self.start
        for copy in range(self.copies + 1) if rising else range(self.copies, -1, -1):
            for stretch in stretches:
                assert stretch.layer is not None
                self._play(stretch, stretch.layer + copy * self.period)

    def _play(self, stretch: Stretch, deep: int | None) -> None:
        for event in self.trace.events[stretch.start : stretch.end]:
            number, made = (event - 1, True) if event > 0 else (-event - 1, False)
            place = self.born.get(number)
            if place is None:
                self._event(None, number, made)
            elif deep is None:
                for layer in self._everywhere(place[0]):
                    self._event(layer, self._like(place, layer), made)
            else:
                assert stretch.layer is not None
                layer = deep + place[0] - stretch.layer
                self._event(layer, self._like(place, layer), made)

    def _everywhere(self, layer: int) -> Iterator[int]:
        if self._inside(layer):
            yield from (layer + copy * self.period for copy in range(self.copies + 1))
        else:
            yield layer if layer < self.start else layer + self.copies * self.period

    def _like(self, place: Place, deep: int) -> int:
        """The storage in the layer that ``deep`` is a copy of that is like the one at ``place``."""
        layer = self._shallow(deep)
        return self.at[place] if layer == place[0] else self.at[layer, place[1], place[2]]

    def _event(self, layer: int | None, number: int, made: bool) -> None:
        key = (layer, number)
        if made:
            self.number[key] = len(self.deep.held)
            self.deep.held.append(self.trace.held[number])
            self.deep.events.append(self.number[key] + 1)
        else:
            self.deep.events.append(-self.number.pop(key) - 1)


def _stretches(trace: Trace) -> Iterator[Stretch]:
    start = 0
    for at in range(1, len(trace.events) + 1):
        if at == len(trace.events) or trace.where[at] != trace.where[start]:
            yield Stretch(trace.where[start], start, at)
            start = at
