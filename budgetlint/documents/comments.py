"""Comments of a file with their spans: what stands between the scalars, so that ``#`` in a value is never taken for one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from budgetlint.base.source import SourceFile, Span
from budgetlint.documents.load import FORMATS
from budgetlint.documents.node import Document, Style, every_scalar
from budgetlint.documents.yaml_tabs import block_content

_RULES = {
    "": re.compile(r"(?<!\S)#[^\r\n]*"),
    "yaml": re.compile(r"(?<!\S)#[^\r\n\x85\u2028\u2029]*"),
    "toml": re.compile(r"#[^\r\n]*"),
    "json": re.compile(r"(?://|#)[^\r\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL),
}
_MARKS = {"json": "#/"}
_QUOTED = re.compile(r"""(?<![\w'"])(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')""")
"""What a file that cannot be parsed protects from being read as a comment: strings on one line."""


class Comment(NamedTuple):
    """``text`` without its marks and outer blanks; the span includes the marks."""

    span: Span
    text: str


def comments(source: SourceFile, format: str, documents: tuple[Document, ...] | None = None) -> tuple[Comment, ...]:
    """The comments of a file in order, also of a file that cannot be parsed, as far as it is clear.

    ``documents`` spares reading the file again. A ``format`` that is none of ours (budgets, shell) has ``#`` comments
    outside strings on one line.
    """
    kind = format if format in _RULES else ""
    if not any(mark in source.text for mark in _MARKS.get(kind, "#")):
        return ()
    documents = FORMATS[kind](source) if documents is None and kind else documents
    return tuple(_between(source.text, _RULES[kind], sorted(_protected(source.text, kind, documents or ()))))


def _between(text: str, rule: re.Pattern[str], protected: Iterable[tuple[int, int]]) -> Iterator[Comment]:
    found = rule.search(text)
    for start, end in (*protected, (len(text), len(text))):
        while found and found.start() < start:
            yield Comment(Span(*found.span()), _content(found[0]))
            found = rule.search(text, found.end())
        if found is None:
            return
        if found.start() < end:
            found = rule.search(text, end)


def _content(raw: str) -> str:
    return (raw[2:].removesuffix("*/") if raw.startswith("/*") else raw.lstrip("#/")).strip()


def _protected(text: str, kind: str, documents: tuple[Document, ...]) -> set[tuple[int, int]]:
    """Ranges where no comment can start. The header of a YAML block scalar, ``| # why``, is none of them."""
    ranges = set()
    for scalar in every_scalar(document.root for document in documents):
        block = kind == "yaml" and scalar.style is Style.BLOCK
        ranges.add(block_content(scalar, text) if block else (scalar.span.start, scalar.span.end))
    if not documents or any(document.problems for document in documents):
        ranges.update(found.span() for found in _QUOTED.finditer(text, max((end for _, end in ranges), default=0)))
    return ranges
