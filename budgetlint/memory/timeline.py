"""The step as a course of moments, for pictures: what is live at each, in order.

The moments are those that `phases` decides by, and the highest of a phase is the phase. Two are added before the forward's own (its
first layer, its last), where activations grow. Of the two moments of a layer's backward, the MLP and the attention, the higher one
stands for the layer: between the last and the first everything is linear in the number of layers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from budgetlint.base.record import open_record
from budgetlint.memory import phases
from budgetlint.memory.estimate import Estimate
from budgetlint.memory.plan import Plan
from budgetlint.memory.term import Bucket, Term, written


@open_record
class TimelineMoment:
    """One moment of a phase: its terms are live together."""

    phase: str
    name: str
    terms: tuple[Term, ...]

    @cached_property
    def bytes(self) -> int:
        return sum(term.bytes for term in self.terms)

    @cached_property
    def buckets(self) -> Mapping[Bucket, int]:
        """Bytes by bucket, only those that hold something."""
        sums: dict[Bucket, int] = {}
        for term in self.terms:
            sums[term.bucket] = sums.get(term.bucket, 0) + term.bytes
        return {bucket: size for bucket, size in sums.items() if size}


def timeline(estimate: Estimate) -> tuple[TimelineMoment, ...]:
    """The step of the run that the bill is for; each phase at its highest only, where no plan is kept."""
    if estimate.plan is None:
        return tuple(TimelineMoment(phase.name, phase.moment, phase.terms) for phase in estimate.phases)
    return tuple(_moments(estimate.plan))


def _moments(plan: Plan) -> Iterator[TimelineMoment]:
    step = phases.step_of(plan)
    for phase, moments in phases.courses(step):
        before = phases.before_the_logits(step) if phase == "forward" else ()
        course = [TimelineMoment(phase, name, written(parts)) for name, parts in (*before, *moments)]
        yield from _by_layer(course) if phase == "backward" else course


def place_of(moment: TimelineMoment) -> str:
    """``the last layer`` of ``the last layer's attention``."""
    return moment.name.partition("'s ")[0]


_AT_LAST = ("the embedding", "the reduction")


def _by_layer(course: list[TimelineMoment]) -> list[TimelineMoment]:
    """The highest moment of each place, in order: of ``the last layer's MLP`` and ``… attention`` one. The embedding comes last, after
    an encoder or a tower too: nothing of theirs is held there."""
    places: dict[str, TimelineMoment] = {}
    for moment in course:
        place = place_of(moment)
        places[place] = max(places.get(place, moment), moment, key=lambda one: one.bytes)
    return sorted(places.values(), key=lambda moment: _AT_LAST.index(moment.name) if moment.name in _AT_LAST else -1)
