"""One tree over another, as OmegaConf merges configs: mappings key by key, everything else replaced.

Source: OmegaConf 2.3 ``basecontainer.py`` ``_map_merge``: lists are replaced, a missing value (``???``) leaves what is below it.
What comes from another file keeps its place there (`budgetlint.base.source.SpanIn`).
"""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.base.record import replace
from budgetlint.base.source import SourceFile, Span, SpanIn
from budgetlint.documents.node import Entry, Mapping, Node, Scalar, Sequence


def foreign(node: Node, source: SourceFile) -> Node:
    """The tree with every span naming the file that it stands in; a span that names one already keeps it."""
    if isinstance(node, Scalar):
        return replace(node, span=_in(node.span, source))
    if isinstance(node, Sequence):
        return replace(node, items=tuple(foreign(item, source) for item in node.items), span=_in(node.span, source))
    entries = tuple(Entry(_key(entry.key, source), foreign(entry.value, source)) for entry in node.by_key().values())
    return Mapping(entries, _in(node.span, source), tag=node.tag)


def _key(key: Scalar, source: SourceFile) -> Scalar:
    return replace(key, span=_in(key.span, source))


def _in(span: Span, source: SourceFile) -> Span:
    return span if isinstance(span, SpanIn) else SpanIn(span.start, span.end, source)


def merged(below: Node | None, above: Node) -> Node:
    """``above`` laid over ``below``; the order of keys is that of ``below``, new ones behind."""
    if not isinstance(below, Mapping) or not isinstance(above, Mapping):
        return below if below is not None and isinstance(above, Scalar) and above.text == "???" else above
    found = dict(below.by_key())
    for name, entry in above.by_key().items():
        older = found.get(name)
        value = merged(older.value, entry.value) if older is not None else entry.value
        found[name] = older if older is not None and value is older.value else Entry(entry.key, value)
    return Mapping(tuple(found.values()), above.span, tag=above.tag)


def nested(node: Node, package: Iterable[str]) -> Node:
    """The tree below these keys, outermost first."""
    for name in reversed(tuple(package)):
        node = Mapping((Entry(Scalar(name, node.span), node),), node.span)
    return node
