"""Which runs a change can have touched: only those are judged twice.

Every question that a check asks of its files (what is listed, what is read, what is looked for) is asked of both times; a run
none of whose files is among those with another answer is as it was. Where that is not sure, nothing is narrowed.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from budgetlint.base.record import record
from budgetlint.base.source import SourceFile
from budgetlint.files.disk import DiskFiles, Files
from budgetlint.resolve.claims import kinds_of_programs, tells
from budgetlint.resolve.copies import versioned
from budgetlint.resolve.membership import files_of, takes_part
from budgetlint.resolve.project import BUDGET_SUFFIX
from budgetlint.resolve.state import Alongside, Collected
from budgetlint.resolve.versions import NAMES
from budgetlint.rules_api.context import RunContext

FEW = 64
"""Of more files that come or go, the texts are not searched for their names."""


@record
class Change:
    """Paths of files whose text is another one; those that came and those that went, with their texts."""

    edited: frozenset[str]
    come: dict[str, str]
    gone: dict[str, str]

    @property
    def all(self) -> frozenset[str]:
        return self.edited | self.come.keys() | self.gone.keys()


def change_between(before: Files, after: DiskFiles, beside: Iterable[str] = ()) -> Change:
    """What is another file, among all that is listed or was asked for, and ``beside``."""
    seen = after.seen()
    asked = {*before.expand(["."]), *after.expand(["."]), *seen.read, *seen.exists, *beside}
    asked = {path for path in asked if not _is_same(before.read(path), after.read(path))}
    was, now = ({path for path in asked if files.exists(path)} for files in (before, after))
    edited = {path for path in was & now if _state(before, path) != _state(after, path)}
    come, gone = ({path: _text(files, path) for path in paths} for files, paths in ((after, now - was), (before, was - now)))
    return Change(frozenset(edited), come, gone)


def _is_same(before: object, after: object) -> bool:
    """What a revision has as the disk has it is the disk's own text: that of almost every file."""
    return before is after and isinstance(before, SourceFile)


def _state(files: Files, path: str) -> object:
    source = files.read(path)
    return (source.encoding, source.text) if isinstance(source, SourceFile) else source.problem


def _text(files: Files, path: str) -> str:
    source = files.read(path)
    return source.text if isinstance(source, SourceFile) else ""


def affected_files(change: Change, before: Files, after: Files) -> frozenset[str] | None:
    """The files whose runs may be other ones. None where that may be every run: framework versions and settings hold for all, and
    which programs are here decides about files that nobody names."""
    names = {posixpath.basename(path) for path in (*change.come, *change.gone)}
    if len(names) > FEW or {posixpath.basename(path) for path in change.all} & versioned().union(NAMES):
        return None
    tellers = [path for path in change.all if tells(path)]
    if tellers and kinds_of_programs(before) != kinds_of_programs(after):
        return None
    listed = [(files, path) for files in (before, after) for path in files.expand(["."])]
    naming = {path for files, path in listed if _names(_text(files, path), path, names)} if names else set()
    said = "\n".join(_text(files, path) for files in (before, after) for path in tellers)
    named = {path for _, path in listed if posixpath.basename(path) in said} if said else set()
    return change.all | naming | named | _below_launches(change.all, before, after)


def _below_launches(changed: Iterable[str], before: Files, after: Files) -> frozenset[str]:
    """The files of the folders of budgets that start a program: it may read any of them that nobody names."""
    budgets = [
        path for path in changed if path.endswith(BUDGET_SUFFIX) and any("launch" in _text(files, path) for files in (before, after))
    ]
    folders = tuple(f"{folder}/" if (folder := posixpath.dirname(path)) else "" for path in budgets)
    return frozenset(path for files in (before, after) if budgets for path in files.expand(["."]) if path.startswith(folders))


def _names(text: str, path: str, names: Iterable[str]) -> bool:
    """May a reference in this file lead elsewhere, now that files of these names came or went?"""
    stems = (stem for name in names for stem in (name, posixpath.splitext(name)[0]))
    return any(stem in text for stem in stems) or (bool(names) and path.endswith(BUDGET_SUFFIX) and any(mark in text for mark in "*?["))


def takes_part_in(context: RunContext, paths: frozenset[str]) -> bool:
    return takes_part(_collected(context), paths)


def files_of_run(context: RunContext) -> frozenset[str]:
    return frozenset(files_of(_collected(context)))


def seeds(contexts: Iterable[RunContext]) -> frozenset[str]:
    """What a run of the other time has in common with one of these, whatever else it is made of: its name, its first file."""
    names = {context.run.name.partition("#")[0] for context in contexts}
    return frozenset(names | {context.run.readings[0].document.path for context in contexts if context.run.readings})


def _collected(context: RunContext) -> Collected:
    beside = Alongside(files=context.beside)
    return Collected(context.run.name, context.run.readings, context.budget, context.budget_run, beside=beside)
