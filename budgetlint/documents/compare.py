"""Did an edit change only what it touched? Every value of a file, read before and after, less what stands inside the edits."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator

from budgetlint.base.finding import Edit
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents.edit import rounds
from budgetlint.documents.load import load
from budgetlint.documents.node import Mapping, Node, Scalar, Sequence

Leaf = tuple[int, str, str, str]
"""Document number, path (``*`` for any place in a list), style and text of one value."""


def changed_elsewhere(before: SourceFile, after: SourceFile, edits: Iterable[Edit]) -> bool:
    """Is a value outside the edits different, or the file no longer readable?"""
    now, _ = rounds(edits)
    inside = [edit.span for edit in now]
    return _untouched(before, inside) != _untouched(after, moved(now))


def moved(edits: Iterable[Edit]) -> list[Span]:
    """Where the texts of the edits stand in the new file."""
    shift, spans = 0, []
    for edit in edits:
        start = edit.span.start + shift
        spans.append(Span(start, start + len(edit.text)))
        shift += len(edit.text) - (edit.span.end - edit.span.start)
    return spans


def _untouched(source: SourceFile, inside: list[Span]) -> Counter[Leaf]:
    leaves: Counter[Leaf] = Counter()
    for document in load(source):
        leaves[document.number, "", "", ""] += 1 if document.root is not None else 0
        leaves.update((document.number, path, style, text) for path, style, text in _leaves(document.root, "", inside))
    return leaves


def _leaves(node: Node | None, path: str, inside: list[Span]) -> Iterator[tuple[str, str, str]]:
    if isinstance(node, Mapping):
        for entry in node.entries:
            if not _touches(entry.key.span, inside):
                yield from _leaves(entry.value, f"{path}.{entry.key.text}", inside)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _leaves(item, f"{path}.*", inside)
    elif isinstance(node, Scalar) and not _touches(node.span, inside):
        yield path, node.style.value, node.text


def _touches(span: Span, inside: list[Span]) -> bool:
    at = bisect_right(inside, span.end, key=_start) - 1  # in order, and none meets another: the last that begins before it ends
    return at >= 0 and span.start <= inside[at].end


def _start(span: Span) -> int:
    return span.start
