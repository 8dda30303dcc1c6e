"""The run of a command: as its program makes it, where that is of the project and was followed, else as its flags and files read."""

from __future__ import annotations

from functools import partial

from budgetlint.base.record import replace
from budgetlint.frameworks.manifest import EVALUATES
from budgetlint.launch import Launch
from budgetlint.launch.purpose import Text, purpose
from budgetlint.launch.run import Launched, launched, of_unknown_program
from budgetlint.resolve.edges import COMMAND, Edge
from budgetlint.resolve.program_run import ProgramRun
from budgetlint.resolve.references import quietly
from budgetlint.resolve.state import Assembly
from budgetlint.settings.program import FollowedProgram


def launched_runs(work: Assembly, launch: Launch) -> tuple[Launched, ...]:
    """The run that a command starts, or one for each way of its program that nothing here decides; none where nobody can read what it
    trains. The files that a followed program opens are its own."""
    program = followed_run(work, launch)
    ways = program.each if program is not None else (None,)
    found = [run for way in ways if (run := launched(launch, partial(quietly, work), way)) is not None]
    if program is not None:
        return tuple(replace(run, files=(*run.files, *program.opened)) for run in found)
    return _stopped(work, launch, tuple(found))


def _stopped(work: Assembly, launch: Launch, runs: tuple[Launched, ...]) -> tuple[Launched, ...]:
    """The run with where its program stops, which is so of several trainings too, and of a run that nobody can read."""
    program = _started(work, launch)
    facts = program.facts if program is not None else None
    if program is None or facts is None or not facts.refusals:
        return runs
    if not runs and not _would_train(program):
        return runs
    run = runs[0] if runs else of_unknown_program(launch)
    first, *rest = run.readings
    stops = FollowedProgram(facts.path, facts.launch, facts.refusals, opened=facts.opened)
    return (replace(run, readings=(replace(first, program=stops), *rest)),)


def _would_train(program: ProgramRun) -> bool:
    """Of a program that only evaluates, where it stops makes no run."""
    from budgetlint.program.stops import readies, trains  # `ast`, for projects with programs

    return trains(program.followed.sinks) or readies(program.followed.sinks)


def _started(work: Assembly, launch: Launch) -> ProgramRun | None:
    """A program that is known is its reader's."""
    return None if launch.consumer is None or launch.consumer.followed else work.programs.launched(launch)


def purpose_of(work: Assembly, launch: Launch, text: Text) -> str:
    """What a command does instead of training: by what it starts, else as its program, followed, comes to; empty where it trains, or where
    that is not known."""
    does = purpose(launch, text)
    found = None if does else _started(work, launch)
    return EVALUATES if found is not None and found.only_evaluates else does


def followed_run(work: Assembly, launch: Launch) -> ProgramRun | None:
    """What a program of the project makes of a launch, where it was followed to one training, or to ways of which one is taken."""
    found = _started(work, launch)
    if found is None or not found.each:
        return None
    at = launch.source.locate(launch.span)
    work.edges.update({Edge(path, at.file, at.line, path, COMMAND): None for path in found.opened})
    return found
