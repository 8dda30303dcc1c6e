"""The rounds of a loop in a script: each a run of its own where they differ in what decides memory or in where they stop, else one run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from budgetlint.launch import Launch
    from budgetlint.launch.run import Launched


def different_rounds(found: Iterable[tuple[Launch, Launched]]) -> Iterator[tuple[Launch, Launched]]:
    """``for seed in 1 2 3``: the first stands for all; ``for model in a b``: both."""
    seen: set[tuple[object, ...]] = set()
    for launch, run in found:
        key = (launch.number, *_settings(run))
        if not launch.way or key not in seen:
            seen.add(key)
            yield launch, run


def _settings(run: Launched) -> Iterator[object]:
    for reading in run.readings:
        yield reading.format, reading.consumer.when if reading.consumer is not None else ""
        yield tuple((one.kind, one.says) for one in reading.program.refusals) if reading.program is not None else ()
        yield tuple(sorted((one.name, repr(one.value), one.state, repr(one.readings)) for one in reading.settings.values()))
    yield tuple((one.role, one.text) for one in run.references)
