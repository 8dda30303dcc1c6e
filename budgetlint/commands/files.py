"""``budgetlint files``: what each file is taken for, and the runs it belongs to."""

from __future__ import annotations

import argparse

from budgetlint.assemble import collect
from budgetlint.assembly import Collected
from budgetlint.commands.common import crashed, open_config, project_of
from budgetlint.commands.console import Console
from budgetlint.commands.options import add_paths
from budgetlint.plain_text import ascii_json, one_line
from budgetlint.project import FileEntry
from budgetlint.report.style import cells, padded

HELP = "What each file is taken for, and the runs it belongs to.\n"

EPILOG = """\
examples:
  budgetlint files                          # everything below this folder
  budgetlint files sft.yaml --format json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(args: argparse.Namespace, io: Console) -> int:
    project = project_of(args.paths, io, open_config(io))
    runs = _runs_by_file(collect(project).runs)
    entries = sorted(project.entries.values(), key=lambda entry: entry.path)
    if args.format == "json":
        rows = [{"path": e.path, "format": e.format, "runs": runs.get(e.path, []), "problem": e.problem or None} for e in entries]
        io.write(ascii_json({"version": 1, "files": rows}, indent=2))
        return crashed(project, io)
    shown = [one_line(entry.path) for entry in entries]
    width = min(max(map(cells, shown), default=0), 60)
    for path, entry in zip(shown, entries, strict=True):
        io.line(f"{padded(path, width)}  {_told(entry, runs.get(entry.path, []))}".rstrip())
    if not entries:
        io.line("no file with a config's suffix here")
    return crashed(project, io)


def _runs_by_file(collected: list[Collected]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for run in collected:
        paths = [reading.document.path for reading in run.readings]
        if run.budget is not None:
            paths.append(run.budget.path)
        for path in paths:
            names = found.setdefault(path, [])
            if run.name not in names:
                names.append(run.name)
    return found


def _told(entry: FileEntry, runs: list[str]) -> str:
    told = entry.format or "-"
    notes = [f"run {', '.join(runs)}"] if runs else []
    notes += [entry.problem] if entry.problem else []
    return f"{told:<22} {one_line('; '.join(notes))}"
