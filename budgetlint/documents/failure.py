"""The first place where a document cannot be read: raised inside a parser, returned to everybody else as a `Problem`."""

from __future__ import annotations

import re

from budgetlint.base import limits
from budgetlint.base.expression import expression
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents.node import Problem

MAX_DEPTH = limits.DEPTH.most
"""Deepest nesting read."""


class Refused(Exception):
    """Stops a parser. Never leaves `budgetlint.documents`."""

    def __init__(self, kind: str, message: str, cure: str, start: int, end: int | None = None) -> None:
        super().__init__(message)
        self.kind, self.message, self.cure = kind, message, cure
        self.span = Span(start, start + 1 if end is None else end)

    def problem(self, source: SourceFile) -> Problem:
        """The problem as a value. The span stays inside the text and on the line where it starts."""
        return problem(source, self.kind, self.message, self.cure, self.span)


def problem(source: SourceFile, kind: str, message: str, cure: str, span: Span) -> Problem:
    text = source.text
    start = min(max(span.start, 0), len(text))
    if start == len(text):
        start = len(text.rstrip())
    line_end = text.find("\n", start)
    end = min(max(span.end, start), line_end if line_end >= 0 else len(text))
    return Problem(kind, message, cure, source.locate(Span(start, max(start, end))))


def blame(refused: Refused, text: str) -> Refused:
    """The refusal, or what lies behind it: the marker of an unresolved merge conflict."""
    found = _CONFLICT.search(text)
    if not found or found.start() > refused.span.end + _FAR:
        return refused
    return Refused("syntax", "an unresolved merge conflict", "resolve it and delete its marker lines", found.start(), found.end())


_CONFLICT = expression(r"^<{7} .*", re.MULTILINE)
_FAR = 2000


TOO_LARGE = "too-large"
"""The kind of a problem that is a bound of `budgetlint.base.limits`, not a mistake of the text."""


def too_many(bound: limits.Bound, at: int) -> Refused:
    """More of it than is read."""
    return Refused(TOO_LARGE, limits.told(bound), limits.CURE, at)


def too_deep(at: int) -> Refused:
    return Refused("too-deep", f"nesting is more than {MAX_DEPTH} levels deep", "flatten it, or leave the file out of the check", at)
