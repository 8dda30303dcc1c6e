"""What stands once in a YAML file and counts in several places: the anchors that an alias or a merge key brings elsewhere."""

from __future__ import annotations

from bisect import bisect_right

from budgetlint.base.source import Span
from budgetlint.documents.node import Document, Entry, Mapping, Node, Sequence


def is_shared(document: Document, entry: Entry) -> bool:
    """Does the key or the value of an entry count in another place too?"""
    if document.format != "yaml" or not document.anchors:
        return False
    spans: list[Span] | None = document.facts.get("shared")
    if spans is None:
        spans = document.facts["shared"] = _joined(_shared(document.root))
    return _has_anchor(document, entry) or any(_inside(spans, node.span.start) for node in (entry.key, entry.value))


def _has_anchor(document: Document, entry: Entry) -> bool:
    """A scalar's anchor stands in front of it; its aliases are scalars of their own."""
    return "&" in document.source.text[entry.key.span.end : entry.value.span.start]


def _inside(spans: list[Span], at: int) -> bool:
    place = bisect_right(spans, at, key=lambda span: span.start) - 1
    return place >= 0 and at < max(spans[place].end, spans[place].start + 1)


def _joined(spans: list[Span]) -> list[Span]:
    """In order, those that overlap as one."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(span.end, joined[-1].end))
        else:
            joined.append(span)
    return joined


def _shared(root: Node | None) -> list[Span]:
    """Each node and each entry that is met a second time. What stands in it is not entered again."""
    shared: list[Span] = []
    stack: list[Node | Entry] = [root] if root is not None else []
    met: set[int] = set()
    while stack:
        here = stack.pop()
        if id(here) in met:
            shared.append(Span(here.key.span.start, here.value.span.end) if isinstance(here, Entry) else here.span)
            continue
        met.add(id(here))
        if isinstance(here, Entry):
            stack.append(here.value)
        elif isinstance(here, Mapping):
            stack.extend((*here.entries, *here.merged))
        elif isinstance(here, Sequence):
            stack.extend(here.items)
    return shared
