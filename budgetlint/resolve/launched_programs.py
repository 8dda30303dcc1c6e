"""The run of a command: as its program makes it, where that is of the project and was followed, else as its flags and files read."""

from __future__ import annotations

from functools import partial

from budgetlint.base.record import replace
from budgetlint.frameworks.manifest import EVALUATES
from budgetlint.launch import Launch
from budgetlint.launch.purpose import Text, purpose
from budgetlint.launch.run import Launched, launched
from budgetlint.resolve.edges import COMMAND, Edge
from budgetlint.resolve.program_run import ProgramRun
from budgetlint.resolve.references import quietly
from budgetlint.resolve.state import Assembly


def launched_runs(work: Assembly, launch: Launch) -> tuple[Launched, ...]:
    """The run that a command starts, or one for each way of its program that nothing here decides; none where nobody can read what it
    trains. The files that a followed program opens are its own."""
    program = followed_run(work, launch)
    ways = program.each if program is not None else (None,)
    found = [run for way in ways if (run := launched(launch, partial(quietly, work), way)) is not None]
    return tuple(found) if program is None else tuple(replace(run, files=(*run.files, *program.opened)) for run in found)


def purpose_of(work: Assembly, launch: Launch, text: Text) -> str:
    """What a command does instead of training: by what it starts, else as its program, followed, comes to; empty where it trains, or where
    that is not known."""
    does = purpose(launch, text)
    if does or launch.consumer is None or launch.consumer.followed:
        return does
    found = work.programs.launched(launch)
    return EVALUATES if found is not None and found.only_evaluates else ""


def followed_run(work: Assembly, launch: Launch) -> ProgramRun | None:
    """What a program of the project makes of a launch, where it was followed to one training, or to ways of which one is taken. A program
    that is known is its reader's."""
    if launch.consumer is None or launch.consumer.followed:
        return None
    found = work.programs.launched(launch)
    if found is None or not found.each:
        return None
    at = launch.source.locate(launch.span)
    work.edges.update({Edge(path, at.file, at.line, path, COMMAND): None for path in found.opened})
    return found
