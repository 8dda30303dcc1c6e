"""``budgetlint waivers``: the exceptions that a repository has written down, who answers for each, and until when."""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Iterable, Iterator
from typing import Any

from budgetlint.base.plain_text import ascii_json, one_line
from budgetlint.base.record import replace
from budgetlint.commands.common import crashed, open_config, open_session
from budgetlint.commands.console import Console
from budgetlint.commands.options import add_paths, add_policy, add_run_options
from budgetlint.commands.policy import open_policy, under
from budgetlint.engine.check import check
from budgetlint.engine.registry import installed
from budgetlint.report.style import cells, padded, plural
from budgetlint.results.waiver import EXPIRED, HOLDS, UNUSED, Waiver

HELP = """\
The waivers of a repository: every exception that is written down, with its owner, its reason and its last day.

A waiver is an `allow` statement of a budget, a `budgetlint: allow` comment, or an entry of [[tool.budgetlint.allow]]. What each holds
back is found by a check of the same files, preview rules included.
"""

EPILOG = """\
examples:
  budgetlint waivers                        # all below this folder, those that end first in front
  budgetlint waivers --format json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    add_run_options(parser)
    add_policy(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(args: argparse.Namespace, io: Console) -> int:
    open_policy(args, io)
    config = under(args, open_config(io))
    session = open_session(args.paths, args, io, config)
    report = check(session.judged(), installed(), replace(config, preview=True, select=(), ignore=()))
    today = datetime.date.today()
    waivers = sorted(report.waivers, key=lambda one: (one.until or datetime.date.max, one.location.file, one.location.line))
    if args.format == "json":
        io.write(ascii_json({"version": 1, "waivers": [_row(waiver, today) for waiver in waivers]}, indent=2))
    else:
        for line in _lines(waivers, today):
            io.line(line)
    return crashed(session.project, io)


def _row(waiver: Waiver, today: datetime.date) -> dict[str, Any]:
    return {
        "rule": waiver.rule,
        "file": waiver.location.file,
        "line": waiver.location.line,
        "form": waiver.form,
        "by": waiver.by or None,
        "reason": waiver.reason or None,
        "until": waiver.until.isoformat() if waiver.until else None,
        "days_left": waiver.days_left(today),
        "in": waiver.in_files or None,
        "key": waiver.key or None,
        "held": waiver.held,
        "state": waiver.state,
    }


def _lines(waivers: Iterable[Waiver], today: datetime.date) -> Iterator[str]:
    """A table, and what it comes to; what nobody answers for, or never ends, is counted."""
    rows = [_cells(waiver, today) for waiver in waivers]
    if not rows:
        yield "No waiver is written down here."
        return
    head = ("until", "rule", "by", "holds back", "where", "reason")
    table = [head, *rows]
    widths = [min(max(cells(row[column]) for row in table), 44) for column in range(len(head) - 1)]
    for row in table:
        yield "  ".join((*(padded(text, width) for text, width in zip(row, widths, strict=False)), row[-1])).rstrip()
    yield _summary(waivers)


def _cells(waiver: Waiver, today: datetime.date) -> tuple[str, ...]:
    left = waiver.days_left(today)
    until = "never ends" if waiver.until is None else f"{waiver.until} ({'over' if left is not None and left <= 0 else f'{left} days'})"
    held = plural(waiver.held, "finding") if waiver.state == HOLDS else waiver.state
    where = f"{waiver.location.file}:{waiver.location.line}"
    return tuple(map(one_line, (until, waiver.rule, waiver.by or "nobody", held, where, waiver.reason or "no reason")))


def _summary(waivers: Iterable[Waiver]) -> str:
    every = list(waivers)
    counts = (
        (sum(one.state == EXPIRED for one in every), "expired"),
        (sum(one.state == UNUSED for one in every), "with nothing to hold back"),
        (sum(not one.by for one in every), "without an owner"),
        (sum(one.until is None for one in every), "without an end"),
        (sum(not one.reason for one in every), "without a reason"),
    )
    told = ", ".join(f"{count:,} {words}" for count, words in counts if count)
    return f"{plural(len(every), 'waiver')}{f': {told}' if told else ''}."
