"""``budgetlint files``: what each file is taken for, and the runs it belongs to."""

from __future__ import annotations

import argparse
import json

from budgetlint.assemble import collect
from budgetlint.assembly import Collected
from budgetlint.commands.common import crashed, open_config, project_of
from budgetlint.commands.console import Console
from budgetlint.commands.options import add_paths
from budgetlint.project import FileEntry

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
        io.line(json.dumps({"version": 1, "files": rows}, indent=2, ensure_ascii=False))
        return crashed(project, io)
    for entry in entries:
        io.line(_line(entry, runs.get(entry.path, []), max((len(e.path) for e in entries), default=0)))
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


def _line(entry: FileEntry, runs: list[str], width: int) -> str:
    told = entry.format or "-"
    notes = [f"run {', '.join(runs)}"] if runs else []
    notes += [entry.problem] if entry.problem else []
    return f"{entry.path:<{min(width, 60)}}  {told:<22} {'; '.join(notes)}".rstrip()
