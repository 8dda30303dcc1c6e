"""What has to be said in front of everything that a bill assumes: whose the file is taken to be, how its model is known, which calls of its
program are not followed; and that there is no verdict where nobody reads it, or its program stops."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import replace
from budgetlint.memory.estimate import PROGRAM, Estimate, Opened, Verdict
from budgetlint.memory.notes import Assumption
from budgetlint.resolve.own_builds import says
from budgetlint.settings.run import Run


def with_reader(answer: Estimate, run: Run, made: str) -> Estimate:
    """Whose the file is taken to be, and which files are guessed, in front of everything that is assumed; of nobody's file there is no
    verdict."""
    consumer = run.trainer.consumer if run.trainer is not None else None
    if consumer is not None and consumer.is_nobody:
        return replace(answer, verdict=Verdict.UNKNOWN, missing=(*answer.missing, "program"))
    program = next((reading.program for reading in run.readings if reading.program is not None), None)
    if program is not None and program.refusals:  # its bill is that of the run which was meant
        first = program.refusals[0]
        stops = Opened(PROGRAM, first.at, first.short)
        went_on = Assumption(f"the program goes on where it stops: {first.location.file}:{first.location.line} {first.says}", "program")
        missing, opened = (*answer.missing, PROGRAM), (stops, *answer.opened)
        return replace(answer, verdict=Verdict.UNKNOWN, missing=missing, opened=opened, assumptions=(went_on, *answer.assumptions))
    told = [Assumption(consumer.says, "program")] if consumer is not None and consumer.says else []
    told += [Assumption(made, "model")] if made else []
    told += [Assumption(text, "") for text in dict.fromkeys(reading.guessed for reading in run.readings) if text]
    told += [Assumption(text, "") for text in (*says(run.stack), *_not_followed(run))]
    return replace(answer, assumptions=(*told, *answer.assumptions)) if told else answer


_MOST_DOUBTS = 4


def _not_followed(run: Run) -> Iterator[str]:
    """Calls of a program that may have changed what is judged, each at its line."""
    program = run.trainer.program if run.trainer is not None else None
    doubts = list(dict.fromkeys(f"{one.location.file}:{one.location.line} {one.says}" for one in program.doubts)) if program else []
    yield from doubts[:_MOST_DOUBTS]
    if len(doubts) > _MOST_DOUBTS:
        yield f"{len(doubts) - _MOST_DOUBTS} more calls of {program.path if program else ''} are not followed"
