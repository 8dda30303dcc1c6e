"""What became of each file of a corpus, and of each run that its repositories hold."""

from __future__ import annotations

import json
import posixpath
import traceback
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from budgetlint.files.disk import DiskFiles
from budgetlint.readers import Tie, identify
from budgetlint.resolve.file_entries import FileEntry
from budgetlint.resolve.project import Project, open_project
from budgetlint.resolve.runs import judge
from budgetlint.rules_api.context import RunContext

FAMILIES = {**dict.fromkeys(("trl", "alignment_handbook", "open_instruct"), "hf_training_arguments"), "olmo_core": "hydra"}
"""Manifest and reader names that mean one family of files; the manifest calls the dotted flags of OLMo-core's programs Hydra's."""


@dataclass(frozen=True)
class Row:
    """One line of the manifest. ``repository`` is the first folder of its path, ``path`` the rest."""

    repository: str
    path: str
    format: str
    sub: str


@dataclass(frozen=True)
class Outcome:
    """One corpus file: ``claimed`` is what it was taken for, empty where nobody claims it; ``crash`` the traceback."""

    row: Row
    claimed: str = ""
    tied: bool = False
    unparsed: str = ""
    misreads: tuple[str, ...] = ()
    crash: str = ""

    @property
    def right(self) -> bool:
        return same(self.claimed, self.row.format)


@dataclass(frozen=True)
class Joined:
    """One run: what is known of it, and why there is no estimate. ``files`` are the corpus files that take part in it;
    ``bounded``: the estimate has both ends."""

    reader: str
    files: tuple[str, ...]
    model: str
    known: bool
    length: bool
    missing: tuple[str, ...]
    bounded: bool

    @property
    def joined(self) -> bool:
        return len(self.files) > 1


@dataclass(frozen=True)
class Repository:
    outcomes: tuple[Outcome, ...]
    runs: tuple[Joined, ...]
    crash: str = ""


def same(claimed: str, expected: str) -> bool:
    return bool(claimed) and FAMILIES.get(claimed, claimed) == FAMILIES.get(expected, expected)


def repositories(corpus: Path) -> Iterator[Repository]:
    """Each first folder of the corpus, read and joined as ``budgetlint check`` reads and joins a project."""
    rows: dict[str, list[Row]] = defaultdict(list)
    for line in (corpus / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        found = json.loads(line)
        repository, _, path = found["path"].partition("/")
        rows[repository].append(Row(repository, path, found["format"], found.get("sub") or ""))
    for name in sorted(rows):
        yield _repository(corpus / "files" / name, rows[name])


def _repository(folder: Path, rows: list[Row]) -> Repository:
    files = DiskFiles(folder)
    runs: tuple[Joined, ...] = ()
    crash = ""
    try:
        runs = tuple(_joined(context) for context in judge(open_project(files, ["."])).runs)
    except Exception:  # whatever fails is what is counted
        crash = f"{folder.name}\n{traceback.format_exc()}"
    project = Project(files)
    return Repository(tuple(_outcome(project, row) for row in rows), runs, crash)


def _outcome(project: Project, row: Row) -> Outcome:
    try:
        entry = project.add(posixpath.normpath(row.path))
        unparsed = entry.problem if entry.format is None and entry.problem.startswith("not valid") else ""
        misreads = tuple(wrong.message for reading in entry.readings for wrong in reading.misreads)
        return Outcome(row, entry.format or "", _tied(entry), unparsed, misreads)
    except Exception:  # a reader may fail in any way; that is what is counted
        return Outcome(row, crash=f"{row.repository}/{row.path}\n{traceback.format_exc()}")


def _tied(entry: FileEntry) -> bool:
    """Does any document of the file read equally well as two formats?"""
    return entry.problem.startswith("equally") or any(isinstance(identify(reading.document), Tie) for reading in entry.readings)


def _joined(context: RunContext) -> Joined:
    run, answer = context.run, context.estimate
    model = run.settings.get("model")
    return Joined(
        run.trainer.format if run.trainer else "-",
        tuple(dict.fromkeys(source.path for one in run.readings for source in (one.document.source, *one.document.below))),
        str(model.value) if model is not None and model.known else "",
        context.plan is not None,
        "seq_len" in run.settings and run.settings["seq_len"].known,
        tuple(name for name in (answer.missing if answer else ()) if name != "device"),
        answer is not None and answer.allocated.high is not None,
    )
