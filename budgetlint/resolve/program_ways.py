"""The trainings of a program of which one is taken, by a condition that nothing here decides:
``if args.method == "dpo": DPOTrainer(...)``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from budgetlint.base.expression import expression
from budgetlint.base.record import replace

if TYPE_CHECKING:
    from budgetlint.program.document import Told
    from budgetlint.program.noted import Doubt
    from budgetlint.program.places import Place
    from budgetlint.program.sinks import Sink
    from budgetlint.settings.consumer import Consumer
    from budgetlint.settings.run import Reading

    Made = tuple[Reading, Told, tuple[Doubt, ...], tuple[Place, ...]]

MOST = 8
"""Ways of one program that are runs."""
_EQUALS = expression(r"(.+) == ('[^']*'|\"[^\"]*\"|[0-9]+)")


def ways_of(trainers: Sequence[Sink | None]) -> tuple[str, ...]:
    """The condition of each, where no two are made in one run; none where they may be."""
    conditions = [tuple(one.conditions) if one is not None else () for one in trainers]
    if len(conditions) > MOST or not all(conditions):
        return ()
    if not all(_exclude(one, other) for one, other in combinations(conditions, 2)):
        return ()
    return tuple(" and ".join(one) for one in conditions)


def _exclude(one: Sequence[str], other: Sequence[str]) -> bool:
    """Is something asked of the one that the other must not be?"""
    mine, theirs = ([part for whole in some for part in _parts(whole)] for some in (one, other))
    return any(_opposite(left, right) or _opposite(right, left) or _differ(left, right) for left in mine for right in theirs)


def _parts(condition: str) -> list[str]:
    return condition.split(" and ") if not condition.startswith("not (") else [condition]


def _opposite(one: str, other: str) -> bool:
    return one in (f"not ({other})", f"not {other}")


def _differ(one: str, other: str) -> bool:
    """``method == 'dpo'`` and ``method == 'sft'``"""
    left, right = _EQUALS.fullmatch(one), _EQUALS.fullmatch(other)
    return left is not None and right is not None and left[1] == right[1] and left[2] != right[2]


def different(made: Sequence[Made], whens: Sequence[str]) -> tuple[list[Made], tuple[str, ...]]:
    """The ways that differ in what is read of them; those that do not are one, and of one alone nothing has to be decided."""
    found: dict[tuple[object, ...], tuple[Made, str]] = {}
    for one, when in zip(made, whens, strict=True):
        found.setdefault(seen_of(one[0]), (one, when))
    kept = list(found.values())
    return [one for one, _ in kept], tuple(when if len(kept) > 1 else "" for _, when in kept)


def seen_of(reading: Reading) -> tuple[object, ...]:
    """Everything that a run is judged by."""
    settings = [(one.name, repr(one.value), one.state, repr(one.readings)) for one in reading.settings.values()]
    return reading.format, tuple(sorted(settings)), tuple((one.role, one.text) for one in reading.references)


def of_way(consumer: Consumer, path: str, when: str) -> Consumer:
    """The program as what reads a run of one way."""
    if not when:
        return consumer
    says = f"{path} is taken to train where {when}: nothing here decides it"
    return replace(consumer, when=when, says=f"{consumer.says}; {says}" if consumer.says else says)
