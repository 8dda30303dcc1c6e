"""Documents whose keys differ only in punctuation: ``pipe-parallel-size``, ``pipe_parallel_size`` and ``--pipe-parallel-size``.

Spans stay those of the text.
"""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.base.record import field, replace, state
from budgetlint.documents import Document, Entry, Mapping, Node, Scalar, Sequence

_DEEPEST = 12
"""Levels whose keys are read; deeper nodes stay as they are."""


def underscored(document: Document) -> Document:
    """The document with ``-`` read as ``_`` in every key, and dashes in front of a key left out (``--num-layers``)."""
    return replace(document, root=_Rename().node(document.root, 0)) if document.root is not None else document


def _name(key: str) -> str:
    return key.lstrip("-").replace("-", "_").strip()


@state
class _Rename:
    """One pass over a tree; a node that aliases share is rewritten once."""

    done: dict[int, Node] = field(default_factory=dict)

    def node(self, node: Node, depth: int) -> Node:
        if isinstance(node, Scalar) or depth > _DEEPEST:
            return node
        if id(node) not in self.done:
            self.done[id(node)] = self._container(node, depth)
        return self.done[id(node)]

    def _container(self, node: Mapping | Sequence, depth: int) -> Node:
        if isinstance(node, Sequence):
            return replace(node, items=tuple(self.node(item, depth + 1) for item in node.items))
        return replace(node, entries=self._entries(node.entries, depth), merged=self._entries(node.merged, depth))

    def _entries(self, entries: Iterable[Entry], depth: int) -> tuple[Entry, ...]:
        return tuple(Entry(replace(found.key, text=_name(found.key.text)), self.node(found.value, depth + 1)) for found in entries)
