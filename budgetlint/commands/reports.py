"""The reports that ``--format`` asks for: each in its format, to its file or to standard output."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from budgetlint.commands.console import Console, Misuse
from budgetlint.files import repository_top
from budgetlint.outcome import Gate, Report
from budgetlint.report import CHECK_FORMATS, TEXT, check_report
from budgetlint.report.style import PLAIN
from budgetlint.report.tree import Tree

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


def tell(io: Console, report: Report, formats: Iterable[Wanted], gate: Gate, *, info: bool, statistics: bool) -> None:
    """``statistics`` takes the place of findings in formats for people."""
    tree = tree_of(io.root)
    for name, file in formats:
        shown = "statistics" if statistics and name in TEXT else name
        if file is None:
            io.write(check_report(report, shown, io.style, info=info, gate=gate, tree=tree))
        else:
            _save(io.root / file, check_report(report, shown, PLAIN, info=info, gate=gate, tree=tree), f"--format {name}={file}")


def _save(path: Path, text: str, asked: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Misuse(f"{asked}: cannot be written: {error.strerror}") from None


def tree_of(root: Path) -> Tree:
    """Where a working directory lies in its repository."""
    return Tree(root.as_posix(), (repository_top(root) or root).as_posix())
