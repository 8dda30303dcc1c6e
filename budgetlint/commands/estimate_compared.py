"""``estimate --compare-with REV``: what the change since a revision costs, run by run."""

from __future__ import annotations

import argparse

from budgetlint.base.plain_text import ascii_json
from budgetlint.commands.common import open_config, open_session
from budgetlint.commands.compare_with import base_of, rereadable
from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse
from budgetlint.commands.reports import tree_of
from budgetlint.results.comparison import Comparison
from budgetlint.rules_api.context import Judged


def compared(args: argparse.Namespace, io: Console) -> tuple[Judged, bool]:
    """Tell it; returns what is there now, and whether there was a run at one of the two times."""
    io = rereadable(args, io)
    session = open_session(args.paths, args, io, open_config(io))
    judged = session.judged()
    with base_of(args, io, session, judged) as base:
        comparison = base.comparison(judged)
    if judged.runs or comparison.runs:
        io.write(_render(args.format, io, judged, comparison), inked=True)
    return judged, bool(judged.runs or comparison.runs)


def refuse(args: argparse.Namespace) -> None:
    """What does not go together."""
    if args.compare_with is not None and (args.settings or args.textbook or args.oom or args.format == "svg"):
        raise Misuse("--compare-with tells what a change costs: it does not go with --settings, --textbook, --oom or --format svg")
    if args.format == "markdown" and args.compare_with is None:
        raise Misuse("--format markdown tells what a change costs: add --compare-with REV")


def _render(format: str, io: Console, judged: Judged, comparison: Comparison) -> str:
    if format == "json":
        from budgetlint.report.compare_json import compare
        from budgetlint.report.estimate_json import document

        return ascii_json({**document(judged.runs), "compare": compare(comparison)}, indent=2)
    if format == "markdown":
        from budgetlint.report.compare_markdown import render as markdown

        return markdown(comparison, tree_of(io.root))
    from budgetlint.report.compare_text import render

    return render(comparison, io.style)
