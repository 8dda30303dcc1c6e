"""``budgetlint files``: what each file is taken for, and the runs it belongs to."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any

from budgetlint.base.plain_text import ascii_json, one_line
from budgetlint.commands.common import crashed, open_config, project_of
from budgetlint.commands.console import Console
from budgetlint.commands.options import add_paths
from budgetlint.commands.why import edges_of, why
from budgetlint.documents import Document
from budgetlint.files.wanted import NOTEBOOK_SUFFIX, PYTHON_SUFFIX
from budgetlint.launch import Launch
from budgetlint.report.style import cells, padded
from budgetlint.resolve.edges import Edge
from budgetlint.resolve.file_entries import FileEntry
from budgetlint.resolve.runs import collect
from budgetlint.resolve.state import Collected

Idle = Sequence[tuple[Launch, str]]
"""Commands whose programs train nothing, each with what it does."""

HELP = "What each file is taken for, and the runs it belongs to.\n"

EPILOG = """\
examples:
  budgetlint files                          # everything below this folder
  budgetlint files --why                    # which line of which file makes each one part of a run
  budgetlint files sft.yaml --format json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    parser.add_argument("--why", action="store_true", help="for each file the lines that name it, and what leads to those")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(args: argparse.Namespace, io: Console) -> int:
    project = project_of(args.paths, io, open_config(io))
    work = collect(project)
    runs, edges = _runs_by_file(work.runs), edges_of(work)
    entries = sorted(filter(_is_shown, project.entries.values()), key=lambda entry: entry.path)
    if args.format == "json":
        rows = [_row(entry, runs.get(entry.path, []), edges.get(entry.path, []), work.idle.get(entry.path, ())) for entry in entries]
        io.write(ascii_json({"version": 1, "files": rows}, indent=2))
        return crashed(project, io)
    shown = [one_line(entry.path) for entry in entries]
    width = min(max(map(cells, shown), default=0), 60)
    for path, entry in zip(shown, entries, strict=True):
        notes = _told(entry, runs.get(entry.path, []), work.idle.get(entry.path, ()))
        io.line(f"{padded(path, width)}  {notes}".rstrip())
        for line in why(edges, entry.path) if args.why else ():
            io.line(one_line(line))
    if not entries:
        io.line("no file with a config's suffix here")
    return crashed(project, io)


def _is_shown(entry: FileEntry) -> bool:
    """Programs and READMEs that only tell who reads the others are no files of a run."""
    return entry.format is not None or bool(entry.problem) or not entry.path.endswith((PYTHON_SUFFIX, NOTEBOOK_SUFFIX, ".md"))


def _row(entry: FileEntry, runs: list[str], edges: Iterable[Edge], idle: Idle) -> dict[str, Any]:
    consumer = entry.consumer
    return {
        "path": entry.path,
        "format": entry.format,
        "consumer": consumer.as_json() if consumer is not None else None,
        "settles": (consumer.settles or None) if consumer is not None else None,
        "runs": runs,
        "trains_nothing": [{"line": _line(launch), "program": launch.program.program, "does": does} for launch, does in idle],
        "because": [edge.as_json() for edge in edges],
        "problem": entry.problem or None,
    }


def _runs_by_file(collected: list[Collected]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for run in collected:
        paths = [*(path for reading in run.readings for path in _paths(reading.document)), *run.beside.files]
        if run.budget is not None:
            paths.append(run.budget.path)
        for path in paths:
            names = found.setdefault(path, [])
            if run.name not in names:
                names.append(run.name)
    return found


def _paths(document: Document) -> tuple[str, ...]:
    """A document's file; with a program's the files that it reads."""
    return (document.path, *(one.path for one in document.below)) if document.format == "python" else (document.path,)


def _line(launch: Launch) -> int:
    return launch.source.locate(launch.span).line


def _told(entry: FileEntry, runs: list[str], idle: Idle) -> str:
    told = entry.format or "-"
    notes = [f"run {', '.join(runs)}"] if runs else []
    notes += [f"no training run: {launch.program.program} {does} (line {_line(launch)})" for launch, does in idle]
    notes += [entry.problem] if entry.problem else []
    notes += _whose(entry)
    return f"{told:<22} {one_line('; '.join(notes))}"


def _whose(entry: FileEntry) -> list[str]:
    """Who reads the file, where that is not plain from its keys; else what would tell."""
    consumer = entry.consumer
    if consumer is None or entry.launches:
        return []
    if consumer.is_nobody and not consumer.settles:
        return ["compared with a declared run"]
    if consumer.is_nobody:
        where = "in a budget" if consumer.settles.startswith("config ") else "in a script or a README"
        return [f"no program here is known to read it; '{consumer.settles}' {where} would tell"]
    return [str(consumer)] if consumer.line else []
