"""The located syntax tree of a budget. Generic: which keywords exist and what they mean is in `statements`."""

from __future__ import annotations

from budgetlint.base.record import open_record, record
from budgetlint.base.source import SourceFile, Span


@record
class Value:
    """One value. ``kind``: ``quantity | percent | number | date | string | word | ref | command``; ``text`` as written."""

    kind: str
    text: str
    span: Span

    @property
    def content(self) -> str:
        """The text a string means (quotes and escapes gone), else the text itself."""
        if self.kind != "string":
            return self.text
        body = self.text[1:-1]
        return body if self.text[0] == "'" else body.replace('\\"', '"').replace("\\\\", "\\")


@record
class ListValue:
    items: tuple[Value | ListValue, ...]
    span: Span


@record
class Option:
    """``key=value``."""

    key: str
    key_span: Span
    value: Value | ListValue
    span: Span


@record
class Statement:
    """``keyword values key=value { block }``; ``span`` covers it all, ``keyword_span`` the keyword."""

    keyword: str
    keyword_span: Span
    values: tuple[Value | ListValue, ...]
    options: tuple[Option, ...]
    block: tuple[Item, ...] | None
    span: Span


@record
class Let:
    name: str
    name_span: Span
    value: Value | ListValue
    span: Span


@record
class SumTerm:
    """One term of a sum: ``sign`` +1 or -1, an optional percentage (``90% of usable``), and the value."""

    sign: int
    share: Value | None
    value: Value | ListValue
    span: Span


@record
class Assert:
    """``assert left CMP right, "why"``. ``source`` is set where the assert became part of a budget: it may be included."""

    left: tuple[SumTerm, ...]
    comparison: str
    right: tuple[SumTerm, ...]
    message: Value | None
    span: Span
    source: SourceFile | None = None


@record
class Keys:
    """``setting=key setting=key``: a line of the block of a ``reads``."""

    options: tuple[Option, ...]
    span: Span


Item = Statement | Let | Assert | Keys


@open_record
class SyntaxTree:
    """The statements of one file that could be read, and where its comments are."""

    source: SourceFile
    items: tuple[Item, ...]
    comments: tuple[Span, ...] = ()
