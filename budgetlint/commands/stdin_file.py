"""``check --stdin-filename PATH``: standard input is the text of a file, saved or not, as an editor or a formatter's runner has it."""

from __future__ import annotations

import argparse
import posixpath

from budgetlint.commands.common import STDIN, Session, open_session, session_around
from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse
from budgetlint.config.config import Config
from budgetlint.files.disk import ChangedFiles, DiskFiles, is_repository


def session_of(args: argparse.Namespace, io: Console, config: Config) -> Session:
    """The session of a check: of what is named, of settings from outside, or of standard input and the runs that it is part of."""
    if args.settings_file is not None:
        from budgetlint.commands.settings_file import settings_session  # few checks are asked by a launcher

        return settings_session(args.paths, args, io, config)
    if args.stdin_filename is None:
        return open_session(args.paths, args, io, config)
    name = _name(args)
    args.paths = [name]
    files = ChangedFiles(DiskFiles(io.root, config.exclude, [name]), {name: io.read().text})
    if is_repository(io.root) and not name.startswith(("/", "..")):
        return session_around([name], args, io, config, files)
    return open_session([name], args, io, config, files)


def _name(args: argparse.Namespace) -> str:
    if [path for path in args.paths if path != STDIN]:
        raise Misuse("--stdin-filename checks standard input: name no other files beside it")
    if args.fix:
        raise Misuse("--fix cannot write to standard input: --diff shows what it would change")
    if args.launch:
        raise Misuse("--stdin-filename goes with no launch command")
    name: str = args.stdin_filename
    return posixpath.normpath(name.replace("\\", "/"))
