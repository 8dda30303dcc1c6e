"""From a project to runs: which files belong to one run, under which budget. `judge` then plans and estimates each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from budgetlint.base.limits import BY_NAME
from budgetlint.base.source import SourceFile, Span
from budgetlint.base.too_large import too_large
from budgetlint.documents.python_marks import FOLLOWED
from budgetlint.files.disk import TextFiles
from budgetlint.language import read_budget
from budgetlint.resolve.budget_scope import comment, nearest_budget
from budgetlint.resolve.claims import claim_all
from budgetlint.resolve.composition import composed
from budgetlint.resolve.edges import HOLDS, Edge
from budgetlint.resolve.file_entries import FileEntry
from budgetlint.resolve.idle_files import idle_files
from budgetlint.resolve.loop_rounds import different_rounds
from budgetlint.resolve.named_files import matches
from budgetlint.resolve.project import Project, open_project
from budgetlint.resolve.references import program_text, referenced
from budgetlint.resolve.run_parts import add_run, entries_of, label_of, way_of, whole, with_named
from budgetlint.resolve.script_calls import with_arguments
from budgetlint.resolve.state import Assembly, Stated
from budgetlint.resolve.templates import template_findings
from budgetlint.settings.run import Reading, Role, Settings

if TYPE_CHECKING:
    from budgetlint.base.finding import Finding
    from budgetlint.language.budget import Budget, BudgetRun
    from budgetlint.launch import Launch
    from budgetlint.launch.run import Launched
    from budgetlint.rules_api.context import Judged


def judge(
    project: Project, *, extra: Budget | None = None, overrides: Settings | None = None, taken: frozenset[str] | None = None
) -> Judged:
    """Every run of the project, judged. ``extra`` is a budget from the command line or the settings: it holds for every run
    that no budget file binds by name. ``taken``: only the runs that one of these files is part of."""
    # what a list of files and runs does without, the estimator above all
    from budgetlint.resolve.allowance import Allowance
    from budgetlint.resolve.contexts import budget_contexts, document_contexts, flag_contexts
    from budgetlint.resolve.judged_runs import run_contexts
    from budgetlint.resolve.membership import narrowed, takes_part
    from budgetlint.rules_api.context import Judged

    work = collect(project, extra=extra, overrides=overrides)
    runs = work.runs if taken is None else [run for run in work.runs if takes_part(run, taken)]
    allowance = Allowance()
    for run in runs:
        with project.contained("estimating", run.name):
            work.contexts.extend(allowance.within(run, run_contexts(work, run)))
    project.findings.extend(allowance.findings())
    result = Judged(
        runs=tuple(work.contexts),
        documents=tuple(document_contexts(work)),
        flags=tuple(flag_contexts(work)),
        budgets=tuple(budget_contexts(work)),
        findings=(*project.findings, *template_findings(work), *_cut(project)),
        crashes=tuple(project.crashes),
        sources=tuple(entry.source for entry in project.entries.values() if entry.source is not None),
    )
    return result if taken is None else narrowed(result, taken)


def _cut(project: Project) -> Iterator[Finding]:
    """What was not read of a file for its size (launches, commands, expansions), and what its commands do not pass on."""
    sources = (entry.source for entry in project.entries.values() if entry.source is not None)
    for source in sources:
        for name, at in source.cut.items():
            yield too_large(BY_NAME[name], source.locate(Span(at, at + 1)))
        yield from source.facts.get("cut short", ())


def judge_texts(texts: Mapping[str, str], *, budget: str | None = None) -> Judged:
    """Judge files that exist only as texts: what `budgetlint.testing` and the editor use."""
    files = TextFiles(texts)
    project = open_project(files, ["."])
    extra = read_budget(SourceFile("test.budget", budget), load=files.read) if budget is not None else None
    return judge(project, extra=extra)


def collect(project: Project, *, extra: Budget | None = None, overrides: Settings | None = None) -> Assembly:
    """Every run of the project in ``runs``: which files it is made of, and under which budget. Nothing is estimated."""
    called = with_arguments(project)
    work = Assembly(project, extra, overrides or Settings(), edges=dict.fromkeys(called))
    _with_declarations(work)
    claim_all(work)
    budgets = [entry.budget for entry in list(project.entries.values()) if entry.budget is not None]
    for budget in (*budgets, *([extra] if extra else [])):
        with project.contained("joining the runs of", budget.path):
            _budget_runs(work, budget)
    entries = [entry for entry in project.entries.values() if entry.launches and entry.path not in work.bound]
    started: list[str] = []
    for entry in entries:
        with project.contained("joining the runs of", entry.path):
            started.extend(_launch_runs(work, entry, budgets))
    work.bound.update(started, work.started, idle_files(work))
    for entry in list(project.entries.values()):
        for reading in entry.readings:
            if reading.role is Role.TRAINER and entry.path not in work.bound and not _is_nobodys(reading) and not _is_part(entry, reading):
                with project.contained("joining the run of", entry.path):
                    _free_run(work, entry, reading, budgets)
    if any(run.budget_run is not None and run.budget_run.watches for run in work.runs):
        from budgetlint.resolve.declared_runs import with_watched

        with_watched(work)
    return work


# -- runs that a budget describes --------------------------------------------------------------------------------------


def _with_declarations(work: Assembly) -> None:
    """What budgets say of files before anybody asks who reads them: the commands that name some, and the runs that are only compared."""
    budgets = [entry.budget for entry in work.project.entries.values() if entry.budget is not None]
    runs = [run for budget in (*budgets, work.extra) if budget is not None for run in budget.runs]
    if any(run.launches for run in runs):
        from budgetlint.resolve.budget_launches import enter_launches  # few budgets start what no script does

        enter_launches(work)
    refs = [ref for run in runs if run.declared is not None for ref in run.configs]
    work.declared = frozenset(path for ref in refs for path in matches(work.files, ref)[0])


def _budget_runs(work: Assembly, budget: Budget) -> None:
    for run, launches in zip(budget.runs, _launches_of(work, budget), strict=True):
        for stated in _stated(work, run):
            _runs_of(work, budget, run, stated, launches)


def _stated(work: Assembly, run: BudgetRun) -> list[Stated]:
    if not run.reads:
        return [Stated()]
    from budgetlint.resolve.foreign import stated  # few budgets read files of their own

    return stated(work, run.reads)


def _launches_of(work: Assembly, budget: Budget) -> Iterable[tuple[Launch, ...]]:
    """The commands of each run of a budget."""
    if not any(run.launches for run in budget.runs):
        return ((),) * len(budget.runs)
    from budgetlint.resolve.budget_launches import launches_of_runs

    return launches_of_runs(work, budget)


def _runs_of(work: Assembly, budget: Budget, run: BudgetRun, stated: Stated, launches: tuple[Launch, ...]) -> None:
    """The runs of one run block, with what its ``reads`` find in one set of files."""
    if run.declared is not None:
        from budgetlint.resolve.declared_runs import declared_run

        declared_run(work, budget, run, stated)
        return
    if run.launches:
        from budgetlint.resolve.started_runs import started_runs

        run = started_runs(work, budget, run, stated, launches)
    if run.configs:
        _bound_runs(work, budget, run, stated)
    elif not run.launches and (stated.readings or budget.names_model or "model" in run.settings or "model_custom" in run.settings):
        add_run(work, stated.named(run.name) or label_of(budget), stated.readings, budget, run)


def _bound_runs(work: Assembly, budget: Budget, run: BudgetRun, stated: Stated) -> None:
    entries = [entry for ref in run.configs for entry in entries_of(work, ref)]
    trainers = [reading for entry in entries for reading in entry.readings if reading.role is Role.TRAINER]
    sides = [reading for entry in entries for reading in entry.readings if reading.role not in (Role.TRAINER, Role.INFERENCE)]
    work.bound.update(entry.path for entry in entries)
    if not trainers and _bound_launches(work, entries, budget, run, stated):
        return
    if not trainers:
        if sides or stated.readings or "model" in run.settings:
            name = stated.named(run.name) or label_of(budget)
            add_run(work, name, (*stated.readings, *with_named(work, (), sides)), budget, run)
        return
    for trainer in (composed(work, one) for one in trainers):
        name = run.name or trainer.document.path
        if run.name and len(trainers) > 1:
            name = f"{run.name}:{trainer.document.path}"
        name = stated.named(name)
        launch = None if sides else _launch_of(work, trainer.document.path)
        if launch is not None:
            add_run(work, name, (*whole(work, launch), *stated.readings), budget, run, launch.target)
        else:
            readings = with_named(work, (trainer, *referenced(work, trainer)), sides)
            add_run(work, name, (*readings, *stated.readings), budget, run)


def _bound_launches(work: Assembly, entries: Iterable[FileEntry], budget: Budget, run: BudgetRun, stated: Stated) -> bool:
    """The runs of scripts that a budget names as its configs."""
    found = [(entry, launch, one) for entry in entries if entry.launches for launch, one in _launched_in(work, entry)]
    for entry, launch, one in found:
        label = _of_launch(entry, launch, one, [(other, run) for _, other, run in found])
        name = label if not run.name else run.name if len(found) == 1 else f"{run.name}:{label}"
        add_run(work, stated.named(name), (*whole(work, one), *stated.readings), budget, run, one.target)
        work.bound.update(one.files)
    return bool(found)


# -- runs that only files describe -------------------------------------------------------------------------------------


def _is_nobodys(reading: Reading) -> bool:
    return reading.consumer is not None and reading.consumer.is_nobody


_OF_TEXT = frozenset({"python_script", "python_trl_script"})
"""Formats of training scripts; the configs of frameworks that are Python only define things too."""


def _is_part(entry: FileEntry, reading: Reading) -> bool:
    """A module that only defines what other programs call: nothing starts it, and its text alone is no run."""
    if entry.source is None or reading.format not in _OF_TEXT or reading.document.facts.get(FOLLOWED):
        return False
    from budgetlint.resolve.entry_modules import only_defines  # `ast`, for projects with programs

    return only_defines(entry.source)


def _over(work: Assembly, entry: FileEntry, budgets: Iterable[Budget]) -> Budget | None:
    """The budget that holds for a file which none names."""
    budget = comment(work, entry)
    if budget is not None:
        return budget
    found = nearest_budget(work, entry.path, budgets)
    if found is not None and found.path in work.project.entries:
        work.edges[Edge(found.path, entry.path, 0, "", HOLDS)] = None
    return found


def _free_run(work: Assembly, entry: FileEntry, reading: Reading, budgets: Iterable[Budget]) -> None:
    budget = _over(work, entry, budgets)
    run = budget.runs[0] if budget and budget.runs else None
    named = budget is not None and (budget.names_model or (run is not None and "model" in run.settings))
    if not named and work.asks_for_model(entry.path):
        return
    trainers = [one for one in entry.readings if one.role is Role.TRAINER]
    way = way_of(reading)
    name = f"{entry.path}{way}" if len(trainers) == 1 or way else f"{entry.path}#{reading.document.number}"
    trainer = composed(work, reading)
    own = (trainer, *referenced(work, trainer))
    add_run(work, name, (*own, *_as_shown(work, trainer, own, run)), budget, run)


_PROCESSES = frozenset(("devices", "devices_per_node", "shard"))


def _as_shown(work: Assembly, trainer: Reading, own: tuple[Reading, ...], run: BudgetRun | None) -> tuple[Reading, ...]:
    """What the commands that texts show have around the program, where nothing else says how the run is started."""
    if (run is not None and not _PROCESSES.isdisjoint(run.settings)) or not work.shows_commands:
        return ()
    from budgetlint.resolve.shown_starts import as_shown

    return as_shown(work, trainer, own[1:])


# -- runs that a launch command starts -----------------------------------------------------------------------------------


def _launched_in(work: Assembly, entry: FileEntry) -> list[tuple[Launch, Launched]]:
    """The launches of a file that start a run."""
    if entry.path not in work.launched:
        from budgetlint.launch.purpose import runs_on_jax
        from budgetlint.launch.run import on_jax
        from budgetlint.resolve.copied_config import over_own_config
        from budgetlint.resolve.launched_programs import launched_runs

        found: list[tuple[Launch, Launched]] = []
        for launch in (over_own_config(work, launch) for launch in _training(work, entry)):
            runs = launched_runs(work, launch)
            jax = bool(runs) and runs_on_jax(launch, partial(program_text, work, entry.path))
            found.extend((launch, on_jax(run, launch) if jax else run) for run in runs)
        work.launched[entry.path] = list(different_rounds(found))
    return work.launched[entry.path]


def _training(work: Assembly, entry: FileEntry) -> Iterator[Launch]:
    """The launches of a file whose programs train, or may; the others are noted."""
    from budgetlint.resolve.launched_programs import purpose_of

    for launch in map(work.own, entry.launches):
        does = purpose_of(work, launch, partial(program_text, work, entry.path))
        if does:
            work.idle.setdefault(entry.path, []).append((launch, does))
        else:
            yield launch


def _launch_runs(work: Assembly, entry: FileEntry, budgets: Iterable[Budget]) -> tuple[str, ...]:
    """The runs of a script or job file; returns the trainer files that they take. One that a budget binds is the budget's run."""
    found = [(launch, run) for launch, run in _launched_in(work, entry) if not set(run.files) & work.bound]
    for launch, run in found:
        budget = _over(work, entry, budgets)
        budget_run = budget.runs[0] if budget and budget.runs else None
        name = _of_launch(entry, launch, run, found)
        add_run(work, name, whole(work, run), budget, budget_run, run.target)
    return tuple(path for _, run in found for path in run.files)


def _of_launch(entry: FileEntry, launch: Launch, run: Launched, among: Iterable[tuple[Launch, Launched]]) -> str:
    """What the run of a command is called: by its script, by the command where there are several, by its way where that is open."""
    alone = len({one.number for one, _ in among}) == 1
    return f"{entry.path if alone else f'{entry.path}#{launch.number}'}{_round(launch, among)}{way_of(run.readings[0])}"


def _round(launch: Launch, among: Iterable[tuple[Launch, Launched]]) -> str:
    """Which round of a loop, where its rounds differ."""
    rounds = {one.way for one, _ in among if one.number == launch.number}
    return f" [{launch.way}]" if len(rounds) > 1 else ""


def _launch_of(work: Assembly, path: str) -> Launched | None:
    """The one launch that names a trainer file; None where several do."""
    entries = list(work.project.entries.values())
    found = [run for entry in entries if entry.launches for _, run in _launched_in(work, entry) if path in run.files]
    return found[0] if len(found) == 1 else None
