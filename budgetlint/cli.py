"""The command-line door: parse arguments, call one command, give an exit code.

Exit codes: 0 clean, 1 findings at or above ``--fail-on``, 2 wrong use, an internal error, or output that could not be written.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Sequence
from importlib import import_module

from budgetlint.base.plain_text import one_line
from budgetlint.base.record import replace
from budgetlint.base.suggest import did_you_mean
from budgetlint.commands.console import Console, console
from budgetlint.commands.misuse import Misuse
from budgetlint.commands.parser import COMMANDS, parser_of

MISUSE = 2
"""`budgetlint.results.report.MISUSE`; that module is imported only by the commands that need it."""

LIVES_LONG = ("lsp", "probe")
"""Commands that look for garbage. Trees and settings hold no cycles: the others free all they leave by counting references, and looking
took a tenth of the time of a check of 3,000 files (it found 910 objects, of the imports); the peak is the same."""

YOUNG = 200_000
"""Objects made before those look."""

TAKES_LAUNCH = ("check", "estimate")
"""Commands that judge what a launch command behind ``--`` would run."""


def main(argv: Sequence[str] | None = None, io: Console | None = None) -> int:
    """Run one command; never raises for what the user did."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    named = next((word for word in arguments if not word.startswith("-")), None)
    if named is not None and named not in COMMANDS:
        return _refused(f"no command is called '{named}'{did_you_mean(named, COMMANDS)} (budgetlint --help)", io)
    parser = parser_of((named,) if named else () if arguments == ["--version"] else COMMANDS)
    arguments, launch = _launch(arguments) if named in TAKES_LAUNCH else (arguments, [])
    try:
        args = parser.parse_args(arguments)
    except SystemExit as done:
        return int(done.code or 0)
    try:
        io = replace(io, color=args.color) if io else console(args.color)
    except Misuse as wrong:
        return _refused(str(wrong), io)
    if args.command is None:
        parser.print_help(io.out)
        return MISUSE
    args.launch = launch
    return _call(args, io)


def _launch(arguments: list[str]) -> tuple[list[str], list[str]]:
    """The command's own arguments, and the launch command behind ``--``."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    return arguments[:at], arguments[at + 1 :]


def _refused(problem: str, io: Console | None) -> int:
    print(f"budgetlint: {one_line(problem)}", file=io.err if io else sys.stderr)
    return MISUSE


def _call(args: argparse.Namespace, io: Console) -> int:
    command = import_module(f"budgetlint.commands.{args.command}")
    if args.command in LIVES_LONG:
        gc.enable()
    try:
        code: int = command.run(args, io)
        io.out.flush()
    except Misuse as wrong:
        io.complain(str(wrong))
        return MISUSE
    except KeyboardInterrupt:
        return 130
    except Exception:  # a bug: neither clean nor a finding
        import traceback

        io.complain("internal error: a bug in budgetlint; report it with this", traceback.format_exc())
        return MISUSE
    return _told(io, code)


def _told(io: Console, code: int) -> int:
    """The code of what was found out; where it could not be told, clean is not clean."""
    if getattr(io.out, "failed", None) is None:
        return code
    problem = getattr(io.out, "problem", None)
    if problem:
        io.complain(problem)
    return code or MISUSE


def run() -> int:
    """The console script's command: its exit code."""
    gc.set_threshold(YOUNG)
    gc.disable()
    return main()
