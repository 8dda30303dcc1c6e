"""OmegaConf references inside one file: ``${a.b}``, ``${.b}``, ``${..b}`` and ``${list[0]}``, as OmegaConf and Hydra resolve them.

Sources: OmegaConf 2.3 ``grammar/OmegaConfGrammarParser.g4`` (nodes, relative levels, brackets) and ``base.py``
``_resolve_node_interpolation``: a value that is one reference takes the type of what it names, a text around references
becomes a text.

What only the program knows stays as written, and so symbolic to the readers: resolvers (``${oc.env:HOME}``, ``${now:}``),
references in references, names that are not in this file, circles. A reference to a mapping stays too: what it repeats is
read where it stands.
"""

from __future__ import annotations

import re

from budgetlint.base.expression import expression
from budgetlint.base.limits import REFERENCES
from budgetlint.base.record import field, replace, state
from budgetlint.documents.node import Document, Entry, Mapping, Node, Scalar, Sequence, Style, step

_REFERENCE = expression(r"\$\{(\.*)([A-Za-z0-9_/@-]+(?:(?:\.[A-Za-z0-9_/@-]+)|(?:\[[A-Za-z0-9_-]+\]))*)\}")
_DEPTH = REFERENCES.most
_LONGEST = 8192
"""No path or name is longer; doubling references end here."""

Parents = tuple[Node, ...]
"""The containers a node stands in, the root first."""


def interpolated(document: Document) -> Document:
    """The document with every reference that names a scalar or a list of scalars of this file replaced by what it names.

    A resolved scalar keeps the span of the reference, so a setting points at the line that the reader reads; text, style and
    tag are those of the value. Documents without references are returned as they are; so are flags, where ``${X}`` is the
    shell's, unless a config lies below them.
    """
    if document.root is None or document.format == "python" or (document.format == "shell" and not document.below) or not _refers(document):
        return document
    return replace(document, root=_Rewrite(document.root).node(document.root, ()))


def _refers(document: Document) -> bool:
    return any(source.mentions("${") for source in (document.source, *document.below))


@state
class _Rewrite:
    """One pass over a tree. Nodes that aliases share are rewritten once, except where a relative reference tells them apart;
    ``known`` holds what scalars came to, by their place, so that doubling references end."""

    root: Node
    done: dict[int, Node] = field(default_factory=dict)
    known: dict[tuple[int, ...], Node] = field(default_factory=dict)

    def node(self, node: Node, parents: Parents) -> Node:
        if isinstance(node, Scalar):
            return self._resolved(node, parents, 0) or node if "${" in node.text else node
        if id(node) not in self.done:
            self.done[id(node)] = self._container(node, (*parents, node))
        return self.done[id(node)]

    def _container(self, node: Mapping | Sequence, inside: Parents) -> Node:
        if len(inside) > 4 * _DEPTH:
            return node
        if isinstance(node, Sequence):
            return replace(node, items=tuple(self.node(item, inside) for item in node.items))
        return replace(node, entries=self._entries(node.entries, inside), merged=self._entries(node.merged, inside))

    def _entries(self, entries: tuple[Entry, ...], inside: Parents) -> tuple[Entry, ...]:
        return tuple(replace(entry, value=self.node(entry.value, inside)) for entry in entries)

    def _resolved(self, scalar: Scalar, parents: Parents, depth: int) -> Node | None:
        """What the scalar's references come to, None where that cannot be known here."""
        place = (id(scalar), *map(id, parents))
        if place not in self.known:
            found = self._read(scalar, parents, depth)
            if found is None:
                return None
            self.known[place] = found
        return self.known[place]

    def _read(self, scalar: Scalar, parents: Parents, depth: int) -> Node | None:
        if depth > _DEPTH or "\\${" in scalar.text:
            return None
        whole = _REFERENCE.fullmatch(scalar.text)
        if whole:
            return _at_reference(self._named(whole, parents, depth), scalar)
        parts: list[str] = []
        for found in _REFERENCE.finditer(scalar.text):
            part = _text(self._named(found, parents, depth))
            if part is None:
                return None
            parts.append(part)
        filler = iter(parts)
        text = _REFERENCE.sub(lambda _: next(filler), scalar.text)
        return None if not parts or "${" in text or len(text) > _LONGEST else Scalar(text, scalar.span, Style.QUOTED)

    def _named(self, reference: re.Match[str], parents: Parents, depth: int) -> Node | None:
        """The node that a reference names, with its own references resolved."""
        levels = len(reference[1])
        if levels > len(parents):
            return None
        trail: list[Node] = list(parents[: len(parents) - levels]) if levels else []
        node: Node | None = parents[-levels] if levels else self.root
        for part in reference[2].replace("[", ".").replace("]", "").split("."):
            if node is not None:
                trail.append(node)
            node = step(node, part)
        if isinstance(node, Scalar) and "${" in node.text:
            return self._resolved(node, tuple(trail), depth + 1)
        return node


def _at_reference(found: Node | None, reference: Scalar) -> Node | None:
    """A value where its reference stands; a list keeps its own spans."""
    if isinstance(found, Scalar):
        return None if "${" in found.text else replace(found, span=reference.span)
    flat = isinstance(found, Sequence) and all(isinstance(item, Scalar) for item in found.items)
    return found if flat else None


def _text(found: Node | None) -> str | None:
    return found.text if isinstance(found, Scalar) else None
