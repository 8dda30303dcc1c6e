"""Runs that a budget declares: what it says is all there is. Files that it names are compared with it, files that it watches hold it to the
texts that it was written from."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from budgetlint.base.limits import WATCHED_BYTES, WATCHED_FILES, Bound
from budgetlint.base.record import replace
from budgetlint.base.source import SourceFile, UnreadableFile
from budgetlint.files.disk import Files
from budgetlint.language.budget import Budget, BudgetRun, ConfigRef, Watch
from budgetlint.measured.digest import same
from budgetlint.measured.watched import Seal, Watched, texts_hash
from budgetlint.memory.estimate import UNSEALED, Opened, Verdict
from budgetlint.resolve.named_files import matches
from budgetlint.resolve.precedence import join
from budgetlint.resolve.run_parts import add_run, entries_of, label_of, no_config
from budgetlint.resolve.state import Alongside, Assembly, Stated
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import Role, Settings

UNSAID = "the run is declared, and its budget does not say"


def declared_run(work: Assembly, budget: Budget, run: BudgetRun, stated: Stated) -> None:
    """The run that a budget declares, with the keys that it reads; the files that it names make none."""
    entries = [entry for ref in run.configs for entry in entries_of(work, ref)]
    work.bound.update(entry.path for entry in entries)
    readings = [reading for entry in entries for reading in entry.readings if reading.role is not Role.INFERENCE]
    beside = Alongside(join(readings) if readings else Settings(), (), tuple(entry.path for entry in entries))
    add_run(work, stated.named(run.name) or label_of(budget), stated.readings, budget, run, unsaid=UNSAID, beside=beside)


# -- what is watched -----------------------------------------------------------------------------------------------------------


def with_watched(work: Assembly) -> None:
    """Look at the files that the runs of budgets watch."""
    known: dict[int, tuple[Watched, ...]] = {}
    for at, run in enumerate(work.runs):
        lines = run.budget_run.watches if run.budget_run is not None else ()
        if not lines:
            continue
        if id(run.budget_run) not in known:
            known[id(run.budget_run)] = tuple(_watched(work, line) for line in lines)
        watched = known[id(run.budget_run)]
        files = dict.fromkeys((*run.beside.files, *(path for one in watched for path in one.files)))
        work.runs[at] = replace(run, beside=replace(run.beside, watched=watched, files=tuple(files)))


def _watched(work: Assembly, line: Watch) -> Watched:
    files = tuple(dict.fromkeys(path for ref in line.refs for path in _files(work, ref)))
    texts: list[tuple[str, str]] = []
    for path, text in _texts(work.files, files):
        if isinstance(text, str):
            return Watched(line, files, "", Seal.UNREAD, text)
        texts.append((posixpath.relpath(path, line.refs[0].base or "."), text.text))
    now = texts_hash(texts)
    if not line.seen:
        return Watched(line, files, now, Seal.UNSEALED, "nobody wrote down yet what their texts are")
    if same(line.seen, now):
        return Watched(line, files, now, Seal.FRESH)
    return Watched(line, files, now, Seal.STALE, f"their texts are {now} now, the declaration is of {line.seen}")


def _files(work: Assembly, ref: ConfigRef) -> list[str]:
    paths, why = matches(work.files, ref)
    if why:
        no_config(work, ref, why)
    return paths


def _texts(files: Files, paths: tuple[str, ...]) -> Iterator[tuple[str, SourceFile | str]]:
    """Each file with its text, or with what is wrong with it."""
    left = WATCHED_BYTES.most
    if len(paths) > WATCHED_FILES.most:
        yield "", _too_much(WATCHED_FILES)
        return
    for path in paths:
        source = files.read(path)
        left -= len(source.text) if isinstance(source, SourceFile) else 0
        if isinstance(source, UnreadableFile):
            yield path, f"{path} {source.problem}"
        yield path, _too_much(WATCHED_BYTES) if left < 0 else source if isinstance(source, SourceFile) else ""


def _too_much(bound: Bound) -> str:
    return f"they are more than {bound.most:,} {bound.counted}"


def held(context: RunContext) -> RunContext:
    """The run without a verdict where its declaration is not known to hold."""
    stale = next((one for one in context.watched if one.seal in (Seal.STALE, Seal.UNREAD)), None)
    if stale is None or context.estimate is None:
        return context
    opened = Opened(UNSEALED, stale.watch.origin.location, stale.why)
    missing, places = (*context.estimate.missing, UNSEALED), (*context.estimate.opened, opened)
    return replace(context, estimate=replace(context.estimate, verdict=Verdict.UNKNOWN, missing=missing, forks=(), opened=places))
