"""Every remedy proved: its edits are made in memory, the run is read and estimated again, and the answer is that of the new text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from budgetlint.base.finding import Edit
from budgetlint.base.record import field, open_record, replace
from budgetlint.base.source import SourceFile
from budgetlint.documents.edit import apply
from budgetlint.files.disk import ChangedFiles
from budgetlint.language import read_budget
from budgetlint.language.budget import Budget
from budgetlint.memory.estimate import DEPENDS, Estimate, Verdict
from budgetlint.resolve.judged_runs import run_contexts
from budgetlint.resolve.project import Project
from budgetlint.resolve.runs import collect
from budgetlint.results.solution import Remedy
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import Settings
from budgetlint.solve.edits import edits_of
from budgetlint.solve.whatif import Effort

TEXT_AN_ESTIMATE = 250
"""Characters of a budget that take as long to read as an estimate to make: 1 ms."""


@open_record
class Desk:
    """Where runs are read again: the project, a budget that lies in no file, what the command line overrides."""

    project: Project
    extra: Budget | None = None
    overrides: Settings = field(default_factory=Settings)
    effort: Effort = field(default_factory=Effort)

    @property
    def extra_source(self) -> SourceFile | None:
        """The text of the budget that lies in no file."""
        run = self.extra.runs[0] if self.extra and self.extra.runs else None
        source = run.origin.source if run else None
        return source if source is not None and source.path in ("-", "--budget") else None

    @cached_property
    def sources(self) -> Mapping[str, SourceFile]:
        found = {entry.path: entry.source for entry in self.project.entries.values() if entry.source is not None}
        return found | ({self.extra_source.path: self.extra_source} if self.extra_source else {})


def proved(desk: Desk, context: RunContext, now: Estimate, remedy: Remedy) -> Remedy:
    """The remedy with its edits, and the figures of the edited run; without edits where they do not make the settings so."""
    edits = edits_of(context, remedy.settings) if remedy.settings else ()
    again = reread(desk, context, edits) if edits else None
    if again is None or again.estimate is None or not _is_so(again, remedy.settings):
        return remedy
    answer = again.estimate
    return replace(
        remedy,
        edits=edits,
        need=answer.need.bytes,
        frees=now.need.bytes - answer.need.bytes,
        verdict=Verdict.TIGHT if answer.reason == DEPENDS else answer.verdict,  # not ruled out
        host=max(0, answer.host.bytes - now.host.bytes),
    )


def _is_so(context: RunContext, settings: Mapping[str, Any]) -> bool:
    """``targets=all`` may be said as a list of every linear; which FSDP a trainer means hangs on its version."""
    return all(name == "lora_targets" or _reads(context, name) & {value, VERSIONS.get(value, value)} for name, value in settings.items())


VERSIONS = {"fsdp": "fsdp2"}


def _reads(context: RunContext, name: str) -> set[Any]:
    """The value of a setting, or each that it can have where its framework's version is not known."""
    setting = context.setting(name)
    if setting is None:
        return {None}
    return {setting.value} if setting.known else set(setting.readings)


def reread(desk: Desk, context: RunContext, edits: Iterable[Edit]) -> RunContext | None:
    """The same run on the same target, from the edited texts; None where it is another run then, or none at all."""
    by_file: dict[str, list[Edit]] = {}
    for edit in edits:
        by_file.setdefault(edit.file, []).append(edit)
    sources = desk.sources
    if not by_file.keys() <= sources.keys():
        return None
    texts = {file: apply(sources[file].text, mine) for file, mine in by_file.items()}
    desk.effort.estimates += sum(map(len, texts.values())) // TEXT_AN_ESTIMATE
    project = _project(desk, context, texts)
    work = collect(project, extra=_extra(desk, texts, project), overrides=desk.overrides)
    work.supposed = True
    for run in work.runs:
        if run.name == context.run.name:
            return next((one for one in desk.effort.counted(run_contexts(work, run)) if one.label == context.label), None)
    return None


def _project(desk: Desk, context: RunContext, texts: Mapping[str, str]) -> Project:
    """Of the project only what the run is made of, read again where it changed."""
    old = desk.project
    readings = context.run.readings
    mine = {reading.document.path for reading in readings} | {below.path for reading in readings for below in reading.document.below}
    mine |= {context.budget.path if context.budget else "", context.run.name.partition("#")[0]}
    kept = {path: entry for path, entry in old.entries.items() if path in mine and path not in texts}
    project = Project(ChangedFiles(old.files, texts), kept, [], tuple(dict.fromkeys((*old.entries, *old.listed))))
    for path in texts:
        if path in old.entries:
            project.add(path)
    return project


def _extra(desk: Desk, texts: Mapping[str, str], project: Project) -> Budget | None:
    """The budget of the command line, read again where it changed."""
    source = desk.extra_source
    if source is None or source.path not in texts:
        return desk.extra
    return read_budget(SourceFile(source.path, texts[source.path]), load=project.files.read)
