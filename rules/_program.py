"""What rules about a followed program share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.rule import FollowedProgram, OriginStep, ProgramRefusal, RunContext
from budgetlint.settings.program import ProgramSlip


def refusals(run: RunContext, *kinds: str) -> Iterator[tuple[FollowedProgram, ProgramRefusal]]:
    """Where the program of a run ends before it trains."""
    program = run.program
    if program is not None:
        yield from ((program, one) for one in program.refusals if one.kind in kinds)


def slips(run: RunContext, kind: str) -> Iterator[tuple[FollowedProgram, ProgramSlip]]:
    """What goes wrong in the program beside its memory, of one kind (`budgetlint.resolve.slips`)."""
    program = run.program
    if program is not None:
        yield from ((program, one) for one in program.slips if one.kind == kind)


def from_outside(steps: Iterable[OriginStep]) -> OriginStep | None:
    """The first place that somebody who starts the program would change."""
    return next((one for one in steps if one.kind in ("flag", "config") and one.location is not None), None)


def places(steps: Iterable[OriginStep]) -> str:
    """``--full at run.sh:3, default of lr at train.py:8``; a literal is told where no option on its line is."""
    told: dict[tuple[str, int], str] = {}
    for one in steps:
        if one.location is not None:
            name = f"default of {one.key}" if one.kind.startswith("default") else one.key or one.kind
            where = (one.location.file, one.location.line)
            before = told.get(where, "")
            told[where] = f"{before}, {name}" if before and one.key else before or name
    return ", ".join(f"{names} at {file}:{line}" for (file, line), names in told.items())
