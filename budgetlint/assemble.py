"""From a project to runs: which files belong to one run, under which budget, on which target; then plan and estimate each."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from budgetlint.architectures import architecture_of
from budgetlint.context import BudgetContext, DocumentContext, Judged, RunContext
from budgetlint.documents import Document
from budgetlint.files import PYTHON_SUFFIX, Files, TextFiles, makes_arguments
from budgetlint.finding import Severity
from budgetlint.join import join, with_derived, with_stored_weights
from budgetlint.language import read_budget
from budgetlint.language.budget import Budget, BudgetRun, ConfigRef, Target
from budgetlint.language.placement import Placement, overlay, placements
from budgetlint.launch import Launch
from budgetlint.memory.estimator import Capacity, estimate
from budgetlint.memory.planner import Planned, plan_run
from budgetlint.project import FileEntry, Project, file_finding, open_project
from budgetlint.readers import Reader, all_readers
from budgetlint.readers.base import complete
from budgetlint.readers.deepspeed.auto import fill_auto, fill_engine_dtype
from budgetlint.readers.deepspeed.shipped import shipped_engine
from budgetlint.readers.launcher.reader import FORMAT as LAUNCHER
from budgetlint.run import Reading, Reference, Role, Run, Setting, Settings, Stack
from budgetlint.source import Location, SourceFile, Unreadable
from budgetlint.stack import stack_beside

if TYPE_CHECKING:
    from budgetlint.launched import Launched

NOWHERE = Placement(Target(None, None), None, Settings())


@dataclass
class Assembly:
    """Collects runs. ``overrides`` are the command line's ``--set``, stronger than everything."""

    project: Project
    extra: Budget | None = None
    overrides: Settings = field(default_factory=Settings)
    contexts: list[RunContext] = field(default_factory=list)
    comments: list[BudgetContext] = field(default_factory=list)
    bound: set[str] = field(default_factory=set)
    launched: dict[str, list[tuple[Launch, Launched]]] = field(default_factory=dict)

    @property
    def files(self) -> Files:
        return self.project.files


def judge(project: Project, *, extra: Budget | None = None, overrides: Settings | None = None) -> Judged:
    """Every run of the project, judged. ``extra`` is a budget from the command line or the settings: it holds for every run
    that no budget file binds by name."""
    work = Assembly(project, extra, overrides or Settings())
    budgets = [entry.budget for entry in list(project.entries.values()) if entry.budget is not None]
    for budget in (*budgets, *([extra] if extra else [])):
        _budget_runs(work, budget)
    entries = [entry for entry in project.entries.values() if entry.launches and entry.path not in work.bound]
    work.bound.update([path for entry in entries for path in _launch_runs(work, entry, budgets)])
    for entry in list(project.entries.values()):
        for reading in entry.readings:
            if reading.role is Role.TRAINER and entry.path not in work.bound:
                _free_run(work, entry, reading, budgets)
    return Judged(
        runs=tuple(work.contexts),
        documents=tuple(_document_contexts(work)),
        budgets=(*_budget_contexts(project, extra), *work.comments),
        findings=tuple(project.findings),
        sources=tuple(entry.source for entry in project.entries.values() if entry.source is not None),
    )


def judge_texts(texts: Mapping[str, str], *, budget: str | None = None) -> Judged:
    """Judge files that exist only as texts: what `budgetlint.testing` and the editor use."""
    files = TextFiles(texts)
    project = open_project(files, ["."])
    extra = read_budget(SourceFile("test.budget", budget), load=files.read) if budget is not None else None
    return judge(project, extra=extra)


def _document_contexts(work: Assembly) -> Iterator[DocumentContext]:
    """Every document, with the stack of the first run that it belongs to; else the extra budget's, else what lies beside it."""
    of_runs = {id(reading): context.run.stack for context in reversed(work.contexts) for reading in context.run.readings}
    stated = work.extra.runs[0].stack if work.extra and work.extra.runs else Stack()

    def stack_of(reading: Reading) -> Stack:
        found = of_runs.get(id(reading))
        return found or (stated if stated.releases else stack_beside(work.files, reading.document.path))

    for entry in work.project.entries.values():
        for reading in entry.readings:
            yield DocumentContext(reading=reading, stack_of=stack_of)


def _budget_contexts(project: Project, extra: Budget | None) -> Iterator[BudgetContext]:
    for entry in project.entries.values():
        if entry.budget is not None:
            yield BudgetContext(budget=entry.budget, source=entry.source)
    if extra is not None:
        yield BudgetContext(budget=extra, source=None)


# -- runs that a budget describes --------------------------------------------------------------------------------------


def _budget_runs(work: Assembly, budget: Budget) -> None:
    for run in budget.runs:
        if run.configs:
            _bound_runs(work, budget, run)
        elif budget.names_model or "model" in run.settings or "model_custom" in run.settings:
            _emit(work, run.name or _label(budget), (), budget, run)


def _label(budget: Budget) -> str:
    return "stdin" if budget.path in ("-", "<stdin>") else budget.path


def _bound_runs(work: Assembly, budget: Budget, run: BudgetRun) -> None:
    entries = [entry for ref in run.configs for entry in _entries(work, ref)]
    trainers = [reading for entry in entries for reading in entry.readings if reading.role is Role.TRAINER]
    sides = [reading for entry in entries for reading in entry.readings if reading.role not in (Role.TRAINER, Role.INFERENCE)]
    work.bound.update(entry.path for entry in entries)
    if not trainers and _bound_launches(work, entries, budget, run):
        return
    if not trainers:
        if sides or "model" in run.settings:
            _emit(work, run.name or _label(budget), tuple(sides), budget, run)
        return
    for trainer in trainers:
        name = run.name or trainer.document.path
        if run.name and len(trainers) > 1:
            name = f"{run.name}:{trainer.document.path}"
        launch = None if sides else _launch_of(work, trainer.document.path)
        if launch is not None:
            _emit(work, name, _whole(work, launch), budget, run, launch.target)
        else:
            _emit(work, name, (trainer, *_followed(work, trainer), *sides), budget, run)


def _bound_launches(work: Assembly, entries: Iterable[FileEntry], budget: Budget, run: BudgetRun) -> bool:
    """The runs of scripts that a budget names as its configs."""
    found = [(entry, launch, one) for entry in entries if entry.launches for launch, one in _launched_in(work, entry)]
    for entry, launch, one in found:
        label = entry.path if len(found) == 1 else f"{entry.path}#{launch.number}"
        name = label if not run.name else run.name if len(found) == 1 else f"{run.name}:{label}"
        _emit(work, name, _whole(work, one), budget, run, one.target)
        work.bound.update(one.files)
    return bool(found)


def _entries(work: Assembly, ref: ConfigRef) -> Iterator[FileEntry]:
    whole = posixpath.normpath(posixpath.join(ref.base, ref.path))
    if any(char in ref.path for char in "*?["):
        paths = work.files.glob(whole)
        if not paths:
            _no_config(work, ref, "matches no file")
    elif work.files.exists(whole):
        paths = [whole]
    else:
        _no_config(work, ref, "does not exist")
        return
    for path in paths:
        entry = work.project.as_kind(path, ref.kind) if ref.kind else work.project.add(path)
        if entry.format is None and not entry.launches:
            _no_config(work, ref, f"is no training config that a reader knows ({path})")
        yield entry


def _no_config(work: Assembly, ref: ConfigRef, why: str) -> None:
    location = ref.origin.location or Location(ref.path)
    work.project.findings.append(
        file_finding(
            "no-such-config", location, f"config {ref.path} {why}: this run is judged without it", "paths are relative to the budget file"
        )
    )


# -- runs that only files describe -------------------------------------------------------------------------------------


def _free_run(work: Assembly, entry: FileEntry, reading: Reading, budgets: Iterable[Budget]) -> None:
    budget = _comment(work, entry) or _holding(work, entry.path, budgets)
    run = budget.runs[0] if budget and budget.runs else None
    name = entry.path if len(entry.readings) == 1 else f"{entry.path}#{reading.document.number}"
    _emit(work, name, (reading, *_followed(work, reading)), budget, run)


def _comment(work: Assembly, entry: FileEntry) -> Budget | None:
    comment = _comment_budget(entry)
    if comment is not None and all(context.budget.path != comment.path for context in work.comments):
        work.comments.append(BudgetContext(budget=comment, source=entry.source))
    return comment


def _holding(work: Assembly, path: str, budgets: Iterable[Budget]) -> Budget | None:
    """The nearest budget, in or above the file's folder, that names neither configs nor a model; else the extra one."""
    above = [b for b in budgets if not b.binds_configs and not b.names_model and _is_above(posixpath.dirname(b.path), path)]
    if above:
        return max(above, key=lambda budget: len(posixpath.dirname(budget.path)))
    extra = work.extra
    return extra if extra is not None and not extra.binds_configs and not extra.names_model else None


def _is_above(folder: str, path: str) -> bool:
    return not folder or path.startswith(folder + "/")


BUDGET_COMMENT = "budget:"


def _comment_budget(entry: FileEntry) -> Budget | None:
    """``# budget: device 24GiB; reserve 2GiB`` in the config itself. The rest of the text is blanked, so spans stay true."""
    if entry.source is None or BUDGET_COMMENT not in entry.source.text:
        return None
    from budgetlint.documents.comments import comments

    text = entry.source.text
    for span, comment in comments(
        entry.source, entry.readings[0].document.format if entry.readings else "shell" if entry.launches else "yaml"
    ):
        body = comment.lstrip("#/* \t")
        if body.startswith(BUDGET_COMMENT):
            start = text.index(BUDGET_COMMENT, span.start) + len(BUDGET_COMMENT)
            blank = "".join("\n" if char == "\n" else " " for char in text[:start])
            return read_budget(
                SourceFile(entry.path, blank + text[start : span.end].rstrip()),
                load=lambda path: Unreadable(path, "cannot be included here", "use a .budget file"),
            )
    return None


def _followed(work: Assembly, trainer: Reading) -> tuple[Reading, ...]:
    """The readings of the files that a trainer document names, and of those that they name."""
    return _follow(work, trainer, list(trainer.references))


def _follow(work: Assembly, trainer: Reading, queue: list[Reference]) -> tuple[Reading, ...]:
    found: list[Reading] = []
    while queue:
        reference = queue.pop(0)
        named = _named(work, trainer, reference)
        for reading in named:
            if reading not in found and reading is not trainer:
                found.append(reading)
                queue.extend(reading.references)
        if not named and reference.role in (Role.ENGINE, Role.LAUNCHER):
            found.append(_absent(trainer, reference))
    return tuple(found)


def _absent(trainer: Reading, reference: Reference) -> Reading:
    """A file of the engine or the launcher that is not here: nobody knows how it shards the model."""
    document = Document(reference.origin.source or trainer.document.source, "absent", None)
    shard = Setting("shard", None, reference.origin, reference.text, "symbolic")
    return Reading(LAUNCHER, reference.role, document, Settings([shard]))


def _named(work: Assembly, trainer: Reading, reference: Reference) -> Iterable[Reading]:
    """The readings of the file, else of the trainer's own file of that name."""
    shipped = None if _path_of(work, trainer, reference) else shipped_engine(trainer, reference)
    if shipped is not None:
        return (shipped,)
    entry = _resolved(work, trainer, reference)
    return entry.readings if entry else ()


def _path_of(work: Assembly, trainer: Reading, reference: Reference) -> str | None:
    return _found(work, reference, reference.origin.source.path if reference.origin.source else trainer.document.path)


def _resolved(work: Assembly, trainer: Reading, reference: Reference) -> FileEntry | None:
    """Where a path in a config leads: from the working directory, from the file's folder or one above it, else by a unique
    name. 261 of 310 references in public repositories resolve this way."""
    path = _path_of(work, trainer, reference)
    if path is not None:
        return work.project.add(path)
    if _is_literal(reference.text) and reference.origin.location:
        work.project.findings.append(
            file_finding(
                "missing-reference",
                reference.origin.location,
                f"{reference.text} does not exist here: the run is judged without it",
                "paths are tried from the working directory, from this file's folder and from the folders above it",
                severity=Severity.INFO,
            )
        )
    return None


def _found(work: Assembly, reference: Reference, named_in: str) -> str | None:
    for path in _candidates(named_in, reference.text):
        if work.files.exists(path):
            return path
    same_name = work.project.names.get(posixpath.basename(reference.text), [])
    return same_name[0] if len(same_name) == 1 else None


def _candidates(named_in: str, text: str) -> Iterator[str]:
    yield posixpath.normpath(text)
    if posixpath.isabs(text):
        return
    folder = posixpath.dirname(named_in)
    while folder and folder not in ("/", ".."):
        yield posixpath.normpath(posixpath.join(folder, text))
        folder = posixpath.dirname(folder)


def _is_literal(text: str) -> bool:
    return not any(mark in text for mark in ("$", "{", "<")) and "/" in text and text.endswith((".json", ".yaml", ".yml"))


# -- runs that a launch command starts -----------------------------------------------------------------------------------


def _launched_in(work: Assembly, entry: FileEntry) -> list[tuple[Launch, Launched]]:
    """The launches of a file that start a run."""
    if entry.path not in work.launched:
        from budgetlint.launched import launched

        found = [(launch, launched(launch, partial(_quietly, work))) for launch in entry.launches]
        work.launched[entry.path] = [(launch, run) for launch, run in found if run is not None]
    return work.launched[entry.path]


def _launch_runs(work: Assembly, entry: FileEntry, budgets: Iterable[Budget]) -> tuple[str, ...]:
    """The runs of a script or job file; returns the trainer files that they take. One that a budget binds is the budget's run."""
    found = [(launch, run) for launch, run in _launched_in(work, entry) if not set(run.files) & work.bound]
    for launch, run in found:
        budget = _comment(work, entry) or _holding(work, entry.path, budgets)
        budget_run = budget.runs[0] if budget and budget.runs else None
        name = entry.path if len(found) == 1 else f"{entry.path}#{launch.number}"
        _emit(work, name, _whole(work, run), budget, budget_run, run.target)
    return tuple(path for _, run in found for path in run.files)


def _whole(work: Assembly, run: Launched) -> tuple[Reading, ...]:
    followed = _follow(work, run.readings[0], list(run.references))
    return (*run.readings, *(reading for reading in followed if all(reading is not mine for mine in run.readings)))


def _launch_of(work: Assembly, path: str) -> Launched | None:
    """The one launch that names a trainer file; None where several do."""
    entries = list(work.project.entries.values())
    found = [run for entry in entries if entry.launches for _, run in _launched_in(work, entry) if path in run.files]
    return found[0] if len(found) == 1 else None


def _quietly(work: Assembly, reference: Reference) -> tuple[Reading, ...]:
    """The readings of a file that may or may not be a config: nothing is said where it is none."""
    path = _found(work, reference, reference.origin.source.path if reference.origin.source else "")
    if path is None or (path.endswith(PYTHON_SUFFIX) and not _is_script(work, path)):
        return ()
    return work.project.add(path).readings


def _is_script(work: Assembly, path: str) -> bool:
    """Most programs that a command runs are no training scripts, and some no text: nothing is said about them."""
    if path in work.project.entries:
        return True
    source = work.files.read(path)
    return isinstance(source, SourceFile) and makes_arguments(source.text.encode(errors="replace"))


# -- one run, on its targets -------------------------------------------------------------------------------------------


def _emit(
    work: Assembly,
    name: str,
    readings: tuple[Reading, ...],
    budget: Budget | None,
    budget_run: BudgetRun | None,
    requested: Target | None = None,
) -> None:
    """Judge one run on every target of its budget; where that names no device, on the machine that its job asks for."""
    stack = _stack(work, readings, budget_run)
    for place in placements(budget, budget_run) if budget and budget_run else (NOWHERE,):
        if requested is not None and place.target.device is None:
            place = replace(place, target=overlay(place.target, requested))
        settings = _settings(readings, place.settings, stack)
        if place.cell is not None:
            settings = settings.under(place.cell.settings)
        run = Run(name, settings.under(work.overrides), readings, stack)
        _judge_one(work, run, place.target, place.cell.text if place.cell else "", budget, budget_run)


def _settings(readings: tuple[Reading, ...], claims: Settings, stack: Stack) -> Settings:
    """What the files say, then what the frameworks fill in (the trainer first, its engine then asks it), then what the budget
    adds."""
    settings = with_stored_weights(join(readings), claims)
    for reading in sorted(readings, key=lambda reading: reading.role is not Role.TRAINER):
        if reading.role is not Role.TRAINER and _under_deepspeed(settings):
            settings = fill_engine_dtype(settings)
        settings = complete(_reader(reading), settings, stack)
    if readings and _under_deepspeed(settings):
        settings = fill_engine_dtype(settings)
    counted = with_derived(settings.filled([claims["nodes"]] if "nodes" in claims else []))
    return with_derived(counted.filled(claims.values()))


def _reader(reading: Reading) -> Reader:
    return next(reader for reader in all_readers() if reader.format == reading.format)


def _under_deepspeed(settings: Settings) -> bool:
    return str(settings.value("shard", "")).startswith("zero")


def _stack(work: Assembly, readings: tuple[Reading, ...], budget_run: BudgetRun | None) -> Stack:
    stated = budget_run.stack if budget_run else Stack()
    if stated.releases:
        return stated
    found = stack_beside(work.files, readings[0].document.path) if readings else Stack()
    return replace(found, model_code=stated.model_code)


def _judge_one(work: Assembly, run: Run, target: Target, cell: str, budget: Budget | None, budget_run: BudgetRun | None) -> None:
    device = target.device.device if target.device else None
    if target.device is not None:
        run = replace(run, settings=run.settings.filled([Setting("device", target.device.text, target.device.origin, target.device.text)]))
    architecture = architecture_of(work.files, run)
    run = replace(run, settings=fill_auto(run.settings, architecture.hidden if architecture else None))
    planned = plan_run(run.settings, run.stack, architecture, device)
    answer = estimate(planned, _capacity(target, planned))
    work.contexts.append(
        RunContext(
            run=run,
            target=target,
            cell=cell,
            budget=budget,
            budget_run=budget_run,
            plan=planned.plans[0] if planned.plans else None,
            estimate=answer,
        )
    )


def _capacity(target: Target, planned: Planned) -> Capacity | None:
    spec = target.device
    if spec is None:
        return None
    reserve = target.reserve.of(spec.usable_low) if target.reserve else None
    ranks = planned.plans[0].sharding.world if planned.plans else 1
    return Capacity(spec.usable_low, spec.usable_high, reserve, spec.device, ranks)
