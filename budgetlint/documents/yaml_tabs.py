"""Tabs that libyaml takes as blanks and the Python parser of PyYAML, behind ``yaml.safe_load``, refuses.

PyYAML 6.0 ``yaml/scanner.py`` skips only spaces between tokens (``scan_to_next_token``, ``scan_plain_spaces``), so a tab is
fine in quotes, block text and comments only. OmegaConf and ``CSafeLoader`` read by libyaml.
"""

from __future__ import annotations

from budgetlint.base.expression import expression
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents.failure import problem
from budgetlint.documents.node import Node, Problem, Scalar, Style, every_scalar

_TAB_OR_COMMENT = expression(r"\t|(?<!\S)#[^\r\n]*")


def block_content(scalar: Scalar, text: str) -> tuple[int, int]:
    """The range of a block scalar behind its header, ``| # why``, which may hold a comment."""
    line_end = text.find("\n", scalar.span.start, scalar.span.end)
    return (line_end if line_end >= 0 else scalar.span.end), scalar.span.end


def tabs(source: SourceFile, roots: list[Node | None]) -> tuple[Problem, ...]:
    """The first tab that only libyaml takes, if there is one."""
    text = source.text
    if "\t" not in text:
        return ()
    at = 0
    for start, end in (*sorted(_protected(text, roots)), (len(text), len(text))):
        while at < start and (found := _TAB_OR_COMMENT.search(text, at)) and found.start() < start:
            if found[0] == "\t":
                return (problem(source, "tab", "a tab between values", "write a space: yaml.safe_load refuses it", Span(*found.span())),)
            at = found.end()
        at = max(at, end)
    return ()


def _protected(text: str, roots: list[Node | None]) -> list[tuple[int, int]]:
    return [
        block_content(scalar, text) if scalar.style is Style.BLOCK else (scalar.span.start, scalar.span.end)
        for scalar in every_scalar(roots)
        if scalar.style is not Style.PLAIN
    ]
