"""Schedules that a loop of a program's own makes, where somebody wrote the warm-up and the length of the run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from budgetlint.program.document import best
from budgetlint.resolve.program_places import at
from budgetlint.settings.program import ScheduleMade

if TYPE_CHECKING:
    from budgetlint.program.follow import Followed
    from budgetlint.program.modules import Files


def own_schedules(followed: Followed, files: Files) -> tuple[ScheduleMade, ...]:
    return tuple(dict.fromkeys(_of(followed, files)))


def _of(followed: Followed, files: Files) -> Iterator[ScheduleMade]:
    for one in followed.schedules:
        warmup, total = best(one.warmup.origins), best(one.total.origins)
        if warmup is None or total is None:
            continue
        yield ScheduleMade(
            at(one.place, files),
            float(one.warmup.value),  # type: ignore[arg-type]
            warmup.key or "num_warmup_steps",
            at(warmup.place, files),
            float(one.total.value),  # type: ignore[arg-type]
            total.key or "num_training_steps",
            at(total.place, files),
        )
