"""Which budget holds for a file that no budget names: its own comment, the nearest one above, or the command line's."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import TYPE_CHECKING

from budgetlint.base.source import SourceFile, Span, UnreadableFile
from budgetlint.language import read_budget
from budgetlint.resolve.file_entries import FileEntry
from budgetlint.resolve.state import Assembly

if TYPE_CHECKING:
    from budgetlint.language.budget import Budget


def comment(work: Assembly, entry: FileEntry) -> Budget | None:
    budget = _comment_budget(entry)
    if budget is not None:
        budget = work.project.bound(budget)
    if budget is not None and all(other.path != budget.path for other, _ in work.comments):
        work.comments.append((budget, entry.source))
    return budget


def nearest_budget(work: Assembly, path: str, budgets: Iterable[Budget]) -> Budget | None:
    """The nearest budget, in or above the file's folder, that names neither configs nor a model; else the extra one."""
    above = [b for b in budgets if not b.binds_configs and not b.names_model and _is_above(posixpath.dirname(b.path), path)]
    if above:
        return max(above, key=lambda budget: len(posixpath.dirname(budget.path)))
    extra = work.extra
    return extra if extra is not None and not extra.binds_configs and not extra.names_model else None


def _is_above(folder: str, path: str) -> bool:
    return not folder or path.startswith(folder + "/")


BUDGET_COMMENT = "budget:"


def _comment_budget(entry: FileEntry) -> Budget | None:
    """``# budget: device 24GiB; reserve 2GiB`` in the config itself. The rest of the text is blanked, so spans stay true."""
    span = comment_span(entry.source, comment_format(entry)) if entry.source is not None else None
    if entry.source is None or span is None:
        return None
    text = entry.source.text
    blank = "".join("\n" if char == "\n" else " " for char in text[: span.start])
    return read_budget(
        SourceFile(entry.path, blank + text[span.start : span.end]),
        load=lambda path: UnreadableFile(path, "cannot be included here", "use a .budget file"),
    )


def comment_format(entry: FileEntry) -> str:
    """How comments are written in a file."""
    return entry.readings[0].document.format if entry.readings else "shell" if entry.launches else "yaml"


def comment_span(source: SourceFile, format: str) -> Span | None:
    """Where the statements of the first ``# budget:`` comment of a file stand."""
    if not source.mentions(BUDGET_COMMENT):
        return None
    from budgetlint.documents.comments import comments

    for span, words in comments(source, format):
        if words.lstrip("#/* \t").startswith(BUDGET_COMMENT):
            start = source.text.index(BUDGET_COMMENT, span.start) + len(BUDGET_COMMENT)
            return Span(start, start + len(source.text[start : span.end].rstrip()))
    return None
