"""The reports that ``--format`` asks for: each in its format, to its file or to standard output."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse
from budgetlint.files.disk import repository_top
from budgetlint.report import CHECK_FORMATS, TEXT, check_report
from budgetlint.report.style import PLAIN
from budgetlint.report.tree import Tree
from budgetlint.results.report import Gate, Report

Wanted = tuple[str, str | None]
"""A format, and the file that it goes to; None is standard output."""


def wanted(texts: Iterable[str]) -> list[Wanted]:
    """``NAME`` or ``NAME=FILE``, each; `full` where nothing is asked for."""
    return [_wanted(text) for text in texts] or [("full", None)]


def _wanted(text: str) -> Wanted:
    name, _, file = text.partition("=")
    if name not in CHECK_FORMATS:
        raise Misuse(f"--format {text}: unknown format '{name}'; known: {', '.join(CHECK_FORMATS)}")
    return name, file or None


def tell(io: Console, report: Report, formats: Iterable[Wanted], gate: Gate, *, info: bool, statistics: bool) -> list[str]:
    """Each report in its place; returns what could not be written, and why. ``statistics`` takes the place of findings in formats for
    people."""
    tree = tree_of(io.root)
    lost: list[str] = []
    for name, file in formats:
        shown = "statistics" if statistics and name in TEXT else name
        if file is None:
            io.write(check_report(report, shown, io.style, info=info, gate=gate, tree=tree))
        else:
            from budgetlint.commands.writing import write_report  # few reports go to files

            wrong = write_report(io, file, check_report(report, shown, PLAIN, info=info, gate=gate, tree=tree))
            lost += [f"--format {name}={file}: {file} {wrong.problem}: {wrong.cure}"] if wrong else []
    return lost


def tree_of(root: Path) -> Tree:
    """Where a working directory lies in its repository."""
    return Tree(root.as_posix(), (repository_top(root) or root).as_posix())
