"""The budget language: text to tree to budget, and back to text.

This is the door: `read_budget` says what a budget means, `parse` gives its located tree, `format_text` its canonical text.
Nothing heavy is imported before one of them is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from budgetlint.base.finding import Finding
    from budgetlint.base.source import SourceFile, UnreadableFile
    from budgetlint.language.budget import Budget
    from budgetlint.language.tree import SyntaxTree

__all__ = ["format_text", "parse", "read_budget"]


def read_budget(
    source: SourceFile,
    load: Callable[[str], SourceFile | UnreadableFile] | None = None,
    *,
    root: str = "",
    variables: Mapping[str, str] | None = None,
) -> Budget:
    """What a budget means; every mistake is in its ``problems``. See `budgetlint.language.resolve.read_budget`."""
    from budgetlint.language.resolve import read_budget as read

    return read(source, load, root=root, variables=variables)


def parse(source: SourceFile) -> tuple[SyntaxTree, tuple[Finding, ...]]:
    """The syntax tree of what could be read, and a finding for each statement that could not."""
    from budgetlint.language.parsing import parse as parse_source

    return parse_source(source)


def format_text(text: str) -> str:
    """The canonical text; unchanged where the budget has syntax errors. See `budgetlint.language.format`."""
    from budgetlint.language.format import format_text as format_source

    return format_source(text)
