"""The run of a command: as its program makes it, where that is of the project and was followed, else as its flags and files read."""

from __future__ import annotations

from functools import partial

from budgetlint.base.record import replace
from budgetlint.launch import Launch
from budgetlint.launch.run import Launched, launched, of_unknown_program
from budgetlint.resolve.edges import COMMAND, Edge
from budgetlint.resolve.program_run import ProgramRun
from budgetlint.resolve.references import quietly
from budgetlint.resolve.state import Assembly
from budgetlint.settings.program import FollowedProgram


def launched_run(work: Assembly, launch: Launch) -> Launched | None:
    """The run that a command starts; None where nobody can read what it trains. The files that a followed program opens are its own."""
    program = followed_run(work, launch)
    run = launched(launch, partial(quietly, work), program.reading if program is not None else None)
    if program is not None:
        return replace(run, files=(*run.files, *program.opened)) if run is not None else None
    return _stopped(work, launch, run)


def _stopped(work: Assembly, launch: Launch, run: Launched | None) -> Launched | None:
    """The run with where its program stops, which is so of several trainings too, and of a run that nobody can read."""
    program = _started(work, launch)
    facts = program.facts if program is not None else None
    if facts is None or not facts.refusals:
        return run
    run = run or of_unknown_program(launch)
    first, *rest = run.readings
    stops = FollowedProgram(facts.path, facts.launch, facts.refusals, opened=facts.opened)
    return replace(run, readings=(replace(first, program=stops), *rest))


def _started(work: Assembly, launch: Launch) -> ProgramRun | None:
    """A program that is known is its reader's."""
    return None if launch.consumer is None or launch.consumer.followed else work.programs.launched(launch)


def followed_run(work: Assembly, launch: Launch) -> ProgramRun | None:
    """What a program of the project makes of a launch, where it was followed to one training."""
    found = _started(work, launch)
    if found is None or found.reading is None:
        return None
    at = launch.source.locate(launch.span)
    work.edges.update({Edge(path, at.file, at.line, path, COMMAND): None for path in found.opened})
    return found
