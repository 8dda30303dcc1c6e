"""``budgetlint init``: a first budget, the hook and the CI step, and the first check."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from budgetlint.base.source import SourceFile
from budgetlint.commands.ci_texts import CI, CI_FILE, HOOK, HOOK_FILE
from budgetlint.commands.common import open_config
from budgetlint.commands.console import Console
from budgetlint.commands.first_budget import first_budget
from budgetlint.commands.misuse import Misuse
from budgetlint.commands.writing import write_file
from budgetlint.config.config import Config
from budgetlint.engine.check import check
from budgetlint.engine.registry import installed
from budgetlint.files.disk import ChangedFiles, DiskFiles, Files
from budgetlint.language import read_budget
from budgetlint.report.summary import summary_lines
from budgetlint.resolve.project import Project, open_project
from budgetlint.resolve.runs import collect, judge
from budgetlint.results.report import Report

HELP = """\
Set a repository up: a first budget, the commit hook, the CI step, and the first check.

Looks at the configs, job files and pinned versions below this folder and writes a short training.budget that holds for all of
them. The hook and the CI step are printed, or written with --hook and --ci. No file that exists is ever changed.
"""

EPILOG = """\
examples:
  budgetlint init --dry-run                 # show what would be written, write nothing
  budgetlint init --device rtx-4090         # the card that the runs are for
  budgetlint init --device '8x h100-80gb' --hook --ci
"""

BUDGET_FILE = "training.budget"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", metavar="NAME", help="the card the runs are for: rtx-4090, '8x h100-80gb', 24GiB")
    parser.add_argument("--dry-run", action="store_true", help="show everything, write nothing")
    parser.add_argument("--hook", action="store_true", help=f"write {HOOK_FILE} too")
    parser.add_argument("--ci", action="store_true", help=f"write {CI_FILE} too")


def run(args: argparse.Namespace, io: Console) -> int:
    config = open_config(io)
    files = DiskFiles(io.root, config.exclude)
    if args.device:
        _known_device(args.device, files)
    wanted = {BUDGET_FILE: "", **({HOOK_FILE: HOOK} if args.hook else {}), **({CI_FILE: CI} if args.ci else {})}
    if not args.dry_run:
        _nothing_there(wanted, io)
    wanted[BUDGET_FILE] = _budget(files, config, args.device)
    if not args.dry_run:
        _write(wanted, io)
    _show(wanted, args, io)
    report = _checked(ChangedFiles(files, wanted), config, (".", BUDGET_FILE))
    io.line("The first check (`budgetlint check` shows it whole):")
    for line in summary_lines(report, io.style):
        io.line(f"  {line}", inked=True)
    return 0


def _known_device(text: str, files: Files) -> None:
    problems = read_budget(SourceFile("--device", f"device {text}\n"), load=files.read).problems
    if problems or ";" in text or "\n" in text:
        told = "; ".join(filter(None, (problems[0].message, problems[0].help))) if problems else "one device is meant"
        raise Misuse(f"--device {text}: {told}")


def _nothing_there(wanted: Mapping[str, str], io: Console) -> None:
    """Before anything is written: all of it or nothing."""
    there = [name for name in wanted if (io.root / name).exists() or (io.root / name).is_symlink()]
    if HOOK_FILE in there:
        raise Misuse(f"{HOOK_FILE} exists and is left as it is: add the entry that `budgetlint init --dry-run` shows")
    if there:
        raise Misuse(f"{there[0]} exists and is left as it is: edit it, or move it away first; nothing was written")


def _budget(files: Files, config: Config, device: str | None) -> str:
    project = open_project(files, (".",))
    text = first_budget(collect(project), device)
    if "\ndevice " in text:
        return text
    return first_budget(collect(project), device, _smallest_card(project, config))


def _smallest_card(project: Project, config: Config) -> str:
    """The largest of the cards that the runs need (rule smallest-card)."""
    found = check(judge(project), installed(), Config(select=("smallest-card",), exclude=config.exclude)).findings
    cards = [(finding.numbers.get("card_bytes") or 0, finding.numbers.get("card")) for finding in found if finding.name == "smallest-card"]
    return str(max(cards)[1]) if cards and all(size for size, _ in cards) else ""


def _write(texts: Mapping[str, str], io: Console) -> None:
    for name, text in texts.items():
        wrong = write_file(io, name, text, folders=True)
        if wrong is not None:
            raise Misuse(f"{name} {wrong.problem}: {wrong.cure}")


def _show(written: Mapping[str, str], args: argparse.Namespace, io: Console) -> None:
    for name, text in written.items():
        there = args.dry_run and (io.root / name).exists()
        how = "exists, is left as it is; a new one would say" if there else "would be written" if args.dry_run else "written"
        _file(io, f"{name} ({how}):", text)
    if not args.hook:
        _file(io, f"To check every commit, in {HOOK_FILE} (--hook writes it):", HOOK)
    if not args.ci:
        _file(io, f"To check every pull request, in {CI_FILE} (--ci writes it):", CI)


def _file(io: Console, title: str, text: str) -> None:
    io.line(io.style.ink(title, "bold"), inked=True)
    io.write("".join(f"  {line}\n" if line.strip() else "\n" for line in text.split("\n")[:-1]))
    io.line()


def _checked(files: Files, config: Config, paths: tuple[str, ...]) -> Report:
    return check(judge(open_project(files, paths)), installed(), config)
