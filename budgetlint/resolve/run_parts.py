"""What every way to a run shares: the files that a budget names, the files that those name, and how a run is entered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from budgetlint.base.source import Location
from budgetlint.resolve.edges import BOUND, Edge
from budgetlint.resolve.file_entries import FileEntry
from budgetlint.resolve.file_findings import file_finding
from budgetlint.resolve.named_files import matches
from budgetlint.resolve.references import referenced, resolve_references
from budgetlint.resolve.state import Alongside, Assembly, Collected
from budgetlint.settings.run import Reading, Role

if TYPE_CHECKING:
    from budgetlint.language.budget import Budget, BudgetRun, ConfigRef, Target
    from budgetlint.launch.run import Launched


def label_of(budget: Budget) -> str:
    return "stdin" if budget.path in ("-", "<stdin>") else budget.path


def way_of(reading: Reading) -> str:
    """Behind the name of a run, which of several ways of its program it is."""
    return f" [{reading.consumer.when}]" if reading.consumer is not None and reading.consumer.when else ""


def entries_of(work: Assembly, ref: ConfigRef) -> Iterator[FileEntry]:
    paths, why = matches(work.files, ref)
    if why:
        no_config(work, ref, why)
    for path in paths:
        entry = work.project.as_kind(path, ref.kind) if ref.kind else work.project.add(path)
        if entry.format is None and not entry.launches:
            no_config(work, ref, f"is no training config that a reader knows ({path})")
        named = ref.origin.location
        if named is not None:
            work.edges[Edge(path, named.file, named.line, ref.path, BOUND)] = None
        yield entry


def no_config(work: Assembly, ref: ConfigRef, why: str) -> None:
    location = ref.origin.location or Location(ref.path)
    work.project.findings.append(
        file_finding(
            "no-such-config",
            location,
            f"{ref.origin.key} {ref.path} {why}: this run is judged without it",
            "paths are relative to the budget file",
        )
    )


def with_named(work: Assembly, trainer: tuple[Reading, ...], sides: Iterable[Reading]) -> tuple[Reading, ...]:
    """The trainer's readings, the side files that a budget names, and what those name in their turn (an accelerate file's
    ``deepspeed_config_file``)."""
    readings = list(trainer)
    for side in sides:
        readings.extend(one for one in (side, *referenced(work, side)) if all(one is not mine for mine in readings))
    return tuple(readings)


def whole(work: Assembly, run: Launched) -> tuple[Reading, ...]:
    followed = resolve_references(work, run.readings[0], list(run.references))
    return (*run.readings, *(reading for reading in followed if all(reading is not mine for mine in run.readings)))


def add_run(
    work: Assembly,
    name: str,
    readings: tuple[Reading, ...],
    budget: Budget | None,
    budget_run: BudgetRun | None,
    requested: Target | None = None,
    unsaid: str = "",
    beside: Alongside | None = None,
) -> None:
    work.runs.append(Collected(name, readings, budget, budget_run, requested, unsaid, beside or Alongside()))


def started_by(readings: tuple[Reading, ...]) -> str:
    """The program that a launch starts with these files; empty where no launch is here."""
    told = (one.document.program for one in readings if one.role is Role.TRAINER and one.document.is_command)
    named = (one.consumer.program for one in readings if one.role is Role.TRAINER and one.consumer is not None)
    return next(filter(None, (*told, *named)), "")


def script_of(readings: tuple[Reading, ...]) -> str:
    """The file whose command starts a run; empty where none does."""
    told = (one.document.path for one in readings if one.document.is_command)
    followed = (one.program.launch.file for one in readings if one.program is not None and one.program.launch is not None)
    return next(iter((*told, *followed)), "")
