"""Places a finding can stand at: anything that knows where it is written."""

from __future__ import annotations

from typing import Protocol

from budgetlint.base.finding import Related
from budgetlint.base.record import record
from budgetlint.base.source import Location, SourceFile, Span, SpanIn
from budgetlint.documents import Entry, Node, Scalar
from budgetlint.settings.run import Origin, Setting


class HasOrigin(Protocol):
    """A setting, or a part of a budget (``DeviceSpec``, ``Reserve``, ``ConfigRef``, …)."""

    @property
    def origin(self) -> Origin: ...


At = HasOrigin | Origin | Location | Entry | Node | Span | None
Elsewhere = Related | tuple[At, str]


@record
class Place:
    """Where a finding stands, and what makes it the same finding when lines move: key path and value."""

    location: Location
    key: str = ""
    value: str = ""


def place_of(at: At, source: SourceFile | None = None) -> Place | None:
    """The place of ``at``; None for a default, which stands nowhere. Nodes and spans are places in ``source``."""
    if at is None or isinstance(at, Location):
        return Place(at) if at else None
    if isinstance(at, (Span, Entry, Node)):
        return _in_source(at, source)
    origin = at if isinstance(at, Origin) else at.origin
    location = origin.location
    return Place(location, origin.key, at.text if isinstance(at, Setting) else "") if location else None


def _in_source(at: Span | Entry | Node, source: SourceFile | None) -> Place | None:
    node = at.value if isinstance(at, Entry) else at
    span = node if isinstance(node, Span) else node.span
    source = span.source if isinstance(span, SpanIn) else source
    if source is None:
        return None
    if isinstance(node, Span):
        return Place(source.locate(node))
    key = at.key.text if isinstance(at, Entry) else ""
    return Place(source.locate(node.span), key, node.text if isinstance(node, Scalar) else "")
