"""``check --compare-with REV`` in a repository of many files: what the change cannot have touched is judged at neither time."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from budgetlint.base.record import open_record
from budgetlint.commands.common import STDIN, Session, extra_budget, settings_of_command
from budgetlint.commands.compare_with import Base, OpenedRevision, both_names, opened_revision, with_called
from budgetlint.commands.console import Console
from budgetlint.commands.revision import is_tracked, known_files
from budgetlint.compare.affected import affected_files, change_between, seeds
from budgetlint.config.config import Config
from budgetlint.files.disk import DiskFiles, Files
from budgetlint.files.git_renames import renamed_files
from budgetlint.resolve.project import open_project
from budgetlint.resolve.related_files import related_files
from budgetlint.rules_api.context import Judged

MANY = 200
"""Of fewer files all runs are judged, which costs little and counts them."""
SHARE = 4
"""Where a change reaches more than one of so many files, all are judged."""


class EveryRun(Exception):
    """The runs that a change touches are not enough to answer: the gate itself differs."""


@open_record
class Touched:
    session: Session
    judged: Judged
    base: Base


@contextmanager
def touched(args: argparse.Namespace, io: Console, config: Config) -> Iterator[Touched | None]:
    """The runs that the change can have touched, today and at the revision. None where that is not sure, or not worth it."""
    named = [path for path in args.paths if path != "."]
    if named or args.launch or args.target or args.fix or args.diff or args.stdin_filename is not None or STDIN in args.paths:
        yield None
        return
    disk = DiskFiles(io.root, config.exclude, (".",))
    listed = tuple(disk.expand(["."]))
    if len(listed) < MANY:
        yield None
        return
    with opened_revision(args, io, disk) as there:
        yield None if there.prefix else _touched(args, io, config, there, disk, listed)


def _touched(
    args: argparse.Namespace, io: Console, config: Config, there: OpenedRevision, disk: DiskFiles, listed: tuple[str, ...]
) -> Touched | None:
    files = there.files
    beside = files.beside(known_files(there.git), set(listed))
    if beside is None:
        return None
    change = change_between(files, disk, beside)
    found = affected_files(change, files, disk)
    if found is None:
        return None
    renamed = renamed_files(change.gone, change.come)
    taken = both_names(with_called(found, files, disk), renamed)
    then = tuple(files.expand(["."]))
    while SHARE * len(taken) <= len(listed):
        session = _around(args, io, config, disk, listed, taken)
        judged = session.judged()
        more = taken | both_names(seeds(judged.runs), renamed)
        if more == taken:  # first today's runs with all that they share, then those of the revision: few bring more
            before = _around(args, io, there.config, files, then, taken)
            was = before.judged()
            more = taken | both_names(seeds(was.runs), renamed)
            if more == taken:
                tracked = partial(is_tracked, there.git)
                untouched = len(set(listed) - set(session.paths))
                base = Base(there.revision, there.config, before, was, renamed, files, disk, change, tracked, untouched=untouched)
                return Touched(session, judged, base)
        taken = more
    return None


def _around(args: argparse.Namespace, io: Console, config: Config, files: Files, listed: tuple[str, ...], taken: frozenset[str]) -> Session:
    found = related_files(files, listed, filter(files.exists, taken))
    project = open_project(files, found.paths, listed, config.binds)
    extra = extra_budget(args.paths, args, io, config, project)
    return Session(project, found.paths, extra, settings_of_command(args), taken=taken)
