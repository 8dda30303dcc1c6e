"""``estimate --oom LOG``: opens the log, explains it by each run, says what would fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from budgetlint.commands.common import STDIN
from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from budgetlint.commands.common import Session
    from budgetlint.oom.log import Found
    from budgetlint.rules_api.context import RunContext

PIECE = 65_536
"""Characters read at a time: a line without an end takes no more."""


def read_log(args: argparse.Namespace, io: Console) -> Found:
    """The message of a log file, or of standard input (``-``). A log without one is wrong use."""
    from budgetlint.oom.log import find

    name: str = args.oom
    if name == STDIN and STDIN in args.paths:
        raise Misuse("--oom: standard input is the budget already: name the log by its file")
    if name == STDIN:
        found = find(_lines(io.read_log()))
    else:
        path = io.root / name
        _checked(name, path)
        with path.open(encoding="utf-8", errors="replace") as log:
            found = find(_lines(log))
    if found is None:
        raise Misuse(
            f"--oom: {'standard input' if name == STDIN else name} holds no out-of-memory message (CUDA out of memory, OutOfMemoryError, "
            "oom-kill, exit code -9): give the output of the rank that failed, with its standard error"
        )
    return found


def _lines(log: TextIO) -> Iterator[str]:
    while piece := log.readline(PIECE):
        yield piece


def _checked(name: str, path: Path) -> None:
    if not path.exists():
        raise Misuse(f"--oom: {name} does not exist")
    if not path.is_file():
        raise Misuse(f"--oom: {name} is no file: name the log itself")
    try:
        with path.open("rb") as log:
            head = log.read(8_192)
    except OSError as error:
        raise Misuse(f"--oom: {name} cannot be read: {error.strerror}") from error
    if b"\0" in head:
        raise Misuse(f"--oom: {name} is no text: unpack it, or save the job's output as UTF-8 text")


def explain_log(found: Found, session: Session, runs: Sequence[RunContext], io: Console, *, json: bool) -> None:
    """The answer for each run; for the log alone where there is no run."""
    from budgetlint.commands.oom_instead import instead
    from budgetlint.oom.explain import explain
    from budgetlint.report.oom import render, render_json

    alone = explain(found, None)
    told = [(context, one, instead(session, context, one)) for context in runs for one in [explain(found, context)]]
    if json:
        io.write(render_json(told, alone))
    elif not told:
        io.write(render(alone, None, style=io.style), inked=True)
    else:
        io.write("\n".join(render(one, context, fits, io.style) for context, one, fits in told), inked=True)
