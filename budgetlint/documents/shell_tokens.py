"""What a script is cut into: words, operators, and lists in parentheses."""

from __future__ import annotations

from budgetlint.base.record import record
from budgetlint.base.source import Span
from budgetlint.documents.shell_words import RawWord


@record
class Operator:
    """``;``, ``&&``, a line end, a parenthesis, or a redirection (``kind`` without its file number)."""

    text: str
    span: Span

    @property
    def kind(self) -> str:
        return self.text.lstrip("0123456789") or self.text

    @property
    def redirects(self) -> bool:
        return "<" in self.text or ">" in self.text


@record
class Array:
    """``NAME=(word word)`` or ``NAME+=(...)``."""

    name: str
    appends: bool
    items: tuple[RawWord, ...]
    span: Span


Token = RawWord | Operator | Array
