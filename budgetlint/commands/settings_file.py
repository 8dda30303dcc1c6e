"""``--settings-file FILE``: runs whose settings somebody else has resolved, under the budgets that are here."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from budgetlint.base.source import SourceFile, UnreadableFile
from budgetlint.commands.common import STDIN, Session, extra_budget, settings_of_command
from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse
from budgetlint.config.config import Config
from budgetlint.files.disk import DiskFiles
from budgetlint.report.style import plural
from budgetlint.resolve.file_entries import FileEntry
from budgetlint.resolve.handed import WrongSettings, handed_runs
from budgetlint.resolve.project import BUDGET_SUFFIX, open_project

STANDARD_INPUT = "<stdin>"


def settings_session(paths: Sequence[str], args: argparse.Namespace, io: Console, config: Config) -> Session:
    """The budgets among and below ``paths``, and the runs of the document. ``--budget`` is asked about them as if there were no others."""
    if STDIN in paths:
        raise Misuse("standard input holds either a budget or settings: name the other one as a file")
    source = _read(args.settings_file, io)
    try:
        runs = handed_runs(source)
    except WrongSettings as wrong:
        for mistake in wrong.mistakes:
            io.complain(str(mistake))
        raise Misuse(f"--settings-file {source.path} was not judged: {plural(len(wrong.mistakes), 'mistake')}") from None
    for path in paths:
        if not (io.root / path).exists():
            raise Misuse(f"{path} does not exist")
    files = DiskFiles(io.root, config.exclude, [*paths, source.path])
    budgets = [] if args.budget is not None else [path for path in files.expand(paths or ["."]) if path.endswith(BUDGET_SUFFIX)]
    project = open_project(files, budgets)
    project.entries[source.path] = FileEntry(source.path, None, source=source)
    extra = extra_budget(paths, args, io, config, project)
    return Session(project, tuple(budgets), extra, settings_of_command(args), args.target, handed=runs)


def _read(name: str, io: Console) -> SourceFile:
    if name == STDIN:
        return io.read(STANDARD_INPUT)
    found = DiskFiles(io.root, named=[name]).read(name)
    if isinstance(found, UnreadableFile):
        raise Misuse(f"--settings-file {found.path} {found.problem}: {found.cure}")
    return found
