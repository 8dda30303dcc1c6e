"""The runs that the commands of a budget start. Each is a run, also where nobody can read what its program trains: then only the budget
says it, and what it leaves out is unresolved."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from budgetlint.base.record import replace
from budgetlint.language.budget import Budget, BudgetRun, ConfigRef
from budgetlint.launch import Launch
from budgetlint.launch.purpose import runs_on_jax
from budgetlint.launch.readings import takes_recipe
from budgetlint.launch.run import Launched, of_unknown_program, on_jax
from budgetlint.resolve.budget_launches import starts_nothing
from budgetlint.resolve.copied_config import over_own_config
from budgetlint.resolve.launched_programs import launched_runs, purpose_of
from budgetlint.resolve.named_files import matches
from budgetlint.resolve.references import program_text
from budgetlint.resolve.run_parts import add_run, label_of, no_config, way_of, whole, with_named
from budgetlint.resolve.state import Assembly, Stated
from budgetlint.settings.run import Reading, Role


def started_runs(work: Assembly, budget: Budget, run: BudgetRun, stated: Stated, launches: Iterable[Launch]) -> BudgetRun:
    """Add the runs of the commands of one run block; returns it with the configs that none of them takes."""
    filled = any(line.takes_configs for line in run.launches)
    for ref in run.configs if filled else ():
        _bind(work, ref)
    found = [(launch, one) for launch in launches for one in _started(work, launch)]
    work.started.update(path for _, one in found for path in one.files)
    left = () if filled else tuple(ref for ref in run.configs if not _taken(work, ref))
    sides = [reading for ref in left for reading in _sides(work, ref)]
    for number, (launch, one) in enumerate(found):
        name = stated.named(_name(budget, run, one, number, len(found)))
        readings = (*with_named(work, whole(work, one), sides), *stated.readings)
        unsaid = "" if any(reading.role is Role.TRAINER for reading in readings) else f"{launch.program.program} is not followed"
        add_run(work, name, readings, budget, run, one.target, unsaid)
    return replace(run, configs=tuple(ref for ref in left if not found or not any(_sides(work, ref))))


def _taken(work: Assembly, ref: ConfigRef) -> bool:
    paths, _ = matches(work.files, ref)
    return bool(paths) and work.started.issuperset(paths)


def _bind(work: Assembly, ref: ConfigRef) -> None:
    """The files of ``{config}`` are of this run, whatever else would take them."""
    paths, why = matches(work.files, ref)
    if why:
        no_config(work, ref, why)
    work.started.update(paths)
    for path in paths if ref.kind else ():
        work.project.as_kind(path, ref.kind)


def _sides(work: Assembly, ref: ConfigRef) -> list[Reading]:
    """What a config that no command names says of the run beside it: an engine's or a launcher's file."""
    entries = [work.project.as_kind(path, ref.kind) if ref.kind else work.project.add(path) for path in matches(work.files, ref)[0]]
    return [reading for entry in entries for reading in entry.readings if reading.role not in (Role.TRAINER, Role.INFERENCE)]


def _started(work: Assembly, launch: Launch) -> tuple[Launched, ...]:
    text = partial(program_text, work, launch.source.path)
    does = purpose_of(work, launch, text)
    if does:
        _nothing(work, launch, f"{launch.program.program} {does}")
        return ()
    launch, jax = over_own_config(work, launch), runs_on_jax(launch, text)
    runs = launched_runs(work, launch)
    if runs:
        return tuple(on_jax(run, launch) for run in runs) if jax else runs
    if takes_recipe(launch):
        files = ", ".join(reference.text for reference in launch.configs)
        _nothing(work, launch, f"{files} is not here, or is no config of {launch.program.program}")
        return ()
    return (of_unknown_program(launch),)


def _nothing(work: Assembly, launch: Launch, why: str) -> None:
    work.project.findings.append(starts_nothing(launch.source, launch.span, why))


def _name(budget: Budget, run: BudgetRun, one: Launched, number: int, count: int) -> str:
    """The run's own name; of several, with the file that each takes, else with its number."""
    own, way = run.name or label_of(budget), way_of(one.readings[0])
    if one.files and not run.name:
        return f"{one.files[0]}{way}"
    if count == 1 or way:
        return f"{own}{way}"
    return f"{own}:{one.files[0]}" if one.files else f"{own}#{number}"
