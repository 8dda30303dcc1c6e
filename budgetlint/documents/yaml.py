"""YAML: the event stream composed into the located tree.

Composed here, because the spans, the sharing of aliases and the bounds must be ours. Accepts and refuses what PyYAML 6.0
does (``yaml/composer.py``, ``yaml/constructor.py``), duplicate keys included; documents beyond our bounds are refused too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from budgetlint.base import limits
from budgetlint.base.expression import expression
from budgetlint.base.record import replace
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents.failure import MAX_DEPTH, TOO_LARGE, Refused, blame, too_deep, too_many
from budgetlint.documents.node import Document, Entry, Mapping, Node, Problem, Scalar, Sequence, Style
from budgetlint.documents.yaml_events import (
    AliasEvent,
    DocumentStartEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceStartEvent,
    StreamEndEvent,
    YAMLError,
    is_old_libyaml_refusal,
    next_event,
    refused,
)
from budgetlint.documents.yaml_tabs import tabs

_MOST = limits.NODES.most
MAX_EXPANDED = limits.ALIASED.most
"""Nodes that aliases may add (``omegaconf/_yaml.py`` stops earlier, PyYAML never)."""

_PLAIN_OR_QUOTED = {"": Style.PLAIN, None: Style.PLAIN, "'": Style.QUOTED, '"': Style.QUOTED}
_STYLES = {**_PLAIN_OR_QUOTED, "|": Style.BLOCK, ">": Style.BLOCK}
_PROPERTIES = expression(r"(?:(?:&[^\s,\[\]{}]+|!(?:<[^>\s]*>|[^\s,\[\]{}]*))(?:\s+(?:#[^\r\n]*\s*)*|\Z|(?=[,\]}])))+")
_MERGE_TAG = "tag:yaml.org,2002:merge"


MAX_PURE = 2**18
"""Characters that the slow parser may read: a second or two."""


def read_yaml(source: SourceFile) -> tuple[Document, ...]:
    """Every document of the source. One that PyYAML would refuse has no root, and is the last."""
    documents = _read(source, pure=False)
    if is_old_libyaml_refusal(documents[-1].problems) and len(source.text) <= MAX_PURE:
        return _read(source, pure=True)
    return documents


def _read(source: SourceFile, pure: bool) -> tuple[Document, ...]:
    documents: list[Document] = []
    failed: tuple[Problem, ...] = ()
    nodes = expanded = 0
    try:
        take = next_event(source.text, pure)
        while (kind := type(event := take())) is not StreamEndEvent:
            if kind is DocumentStartEvent:
                if len(documents) == limits.DOCUMENTS.most:
                    raise too_many(limits.DOCUMENTS, event.start_mark.index)
                composer = _Composer(source.text, nodes, expanded)
                root = composer.compose(take)
                nodes, expanded = composer.nodes, composer.expanded
                documents.append(Document(source, "yaml", root, (), len(documents), tuple(composer.anchors)))
    except (Refused, YAMLError) as error:
        why = error if isinstance(error, Refused) else refused(error, source.text)
        failed = ((why if why.kind == TOO_LARGE else blame(why, source.text)).problem(source),)
    if failed or not documents:
        documents.append(Document(source, "yaml", None, failed, len(documents)))
    elif lenient := tabs(source, [document.root for document in documents]):
        documents[0] = replace(documents[0], leniencies=lenient)
    return tuple(documents)


class _Frame:
    """A collection that is still open. ``key`` is the key whose value comes next, ``begun`` the node count before it."""

    __slots__ = ("anchor", "begun", "children", "flow", "is_mapping", "key", "merged", "start", "tag")

    def __init__(self, event: Any, is_mapping: bool, start: int, begun: int) -> None:
        self.is_mapping, self.start, self.begun = is_mapping, start, begun
        self.anchor: str | None = event.anchor
        self.tag: str = "" if event.ctag is None else event.tag  # a call of ruamel.yaml's
        self.flow: bool = event.flow_style
        self.children: list[Any] = []
        self.key: Scalar | None = None
        self.merged: list[tuple[Entry, ...]] = []


class _Composer:
    """Composes one document. Iterative: nesting costs no Python stack."""

    def __init__(self, text: str, nodes: int, expanded: int) -> None:
        self.text = text
        self.anchors: dict[str, tuple[Node | None, int]] = {}
        self.nodes, self.expanded = nodes, expanded
        """Of the whole file so far: every value, those that aliases repeat included, and these alone."""
        self.last_end = 0

    def compose(self, take: Callable[[], Any]) -> Node | None:
        root: Node | None = None
        stack: list[_Frame] = []
        frame: _Frame | None = None  # the innermost; what is known of it lies in these, most events need no more
        key: Scalar | None = None
        children: list[Any] = []
        plain = _PLAIN_OR_QUOTED.get
        while True:
            event = take()
            kind = type(event)
            if kind is ScalarEvent:
                style = plain(event.style)
                if self.nodes >= _MOST + self.expanded:
                    raise too_many(limits.NODES, event.start_mark.index)
                if style is None or event.ctag is not None or event.anchor is not None:
                    node: Node = self.scalar(event)
                else:
                    self.nodes += 1
                    self.last_end = end = event.end_mark.index
                    node = Scalar(event.value, Span(event.start_mark.index, end), style)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                if frame is not None:
                    frame.key = key
                frame = self.open(event, kind is MappingStartEvent, len(stack))
                stack.append(frame)
                key, children = None, frame.children
                continue
            elif kind is AliasEvent:
                node = self.alias(event)
            elif frame is not None:
                node = self.close(stack.pop(), event)
                frame = stack[-1] if stack else None
                if frame is not None:
                    key, children = frame.key, frame.children
            else:
                return root
            if frame is None:
                root = node
            elif key is not None:
                if key.text == "<<" and _is_merge(key):
                    frame.merged.append(_merged(node, key))
                else:
                    children.append(Entry(key, node))
                key = None
            elif not frame.is_mapping:
                children.append(node)
            elif isinstance(node, Scalar):
                key = node
            else:
                raise _no_key(node, self.text)

    def scalar(self, event: Any) -> Scalar:
        """A scalar with a tag or an anchor, or a block of text."""
        start, end, tag, style = event.start_mark.index, event.end_mark.index, event.tag, event.style
        self.nodes += 1
        anchor = event.anchor
        if tag or anchor:
            self.declare(anchor, start)
            start = self.past_properties(start, end)
        if style == "|" or style == ">":
            end = start + len(self.text[start:end].rstrip())
        self.last_end = end
        node = Scalar(event.value, Span(start, end), _STYLES[style], tag or "")
        if anchor:
            self.anchors[anchor] = (node, 1)
        return node

    def declare(self, anchor: str | None, at: int) -> None:
        if anchor in self.anchors:
            raise Refused("duplicate-anchor", f"anchor &{anchor} is defined a second time", "give the second one another name", at)
        if anchor:
            self.anchors[anchor] = (None, 0)

    def past_properties(self, start: int, end: int) -> int:
        """The offset behind the tag and the anchor that start here."""
        found = _PROPERTIES.match(self.text, start)
        return min(found.end(), end) if found else start

    def open(self, event: Any, is_mapping: bool, depth: int) -> _Frame:
        start = event.start_mark.index
        if depth >= MAX_DEPTH:
            raise too_deep(start)
        begun, self.nodes = self.nodes, self.nodes + 1
        if event.ctag is not None or event.anchor:
            self.declare(event.anchor, start)
            start = self.past_properties(start, len(self.text))
        self.last_end = start
        return _Frame(event, is_mapping, start, begun)

    def close(self, frame: _Frame, event: Any) -> Node:
        if frame.flow:
            self.last_end = event.end_mark.index
        span, children = Span(frame.start, self.last_end), tuple(frame.children)
        node: Node = (
            Mapping(children, span, _last_first(frame.merged), frame.tag) if frame.is_mapping else Sequence(children, span, frame.tag)
        )
        if frame.anchor:
            self.anchors[frame.anchor] = (node, self.nodes - frame.begun)
        return node

    def alias(self, event: Any) -> Node:
        name, start, end = event.anchor, event.start_mark.index, event.end_mark.index
        if name not in self.anchors:
            raise Refused(
                "undefined-alias", f"alias *{name} has no anchor before it", f"define &{name} first, or quote the text", start, end
            )
        node, weight = self.anchors[name]
        if node is None:
            raise Refused("recursive-alias", f"alias *{name} stands inside its own anchor", "write the value out", start, end)
        self.nodes += weight
        self.expanded += weight
        if self.expanded > MAX_EXPANDED:
            raise Refused("alias-bomb", f"aliases add more than {MAX_EXPANDED:,} values", "write the values out", start, end)
        self.last_end = end
        return Scalar(node.text, Span(start, end), node.style, node.tag) if isinstance(node, Scalar) else node


def _last_first(merged: list[tuple[Entry, ...]]) -> tuple[Entry, ...]:
    return tuple([entry for entries in reversed(merged) for entry in entries]) if merged else ()


def _is_merge(key: Scalar) -> bool:
    return key.tag == _MERGE_TAG or (key.style is Style.PLAIN and not key.tag)


def _no_key(node: Mapping | Sequence, text: str) -> Refused:
    start = node.span.start
    if text.startswith("{", start) and text[start - 1 : start] == "{":
        return Refused("syntax", "a template in '{{ }}'", "render the template first, or quote the value", start - 1, node.span.end + 1)
    what = "mapping" if isinstance(node, Mapping) else "list"
    return Refused("syntax", f"a {what} as a key", "write a text as the key, or quote it", start, node.span.end)


def _merged(node: Node, key: Scalar) -> tuple[Entry, ...]:
    """What ``<<: node`` brings, the entry that wins first: PyYAML ``flatten_mapping``."""
    if isinstance(node, Mapping):
        return (*reversed(node.entries), *node.merged)
    items = node.items if isinstance(node, Sequence) else (None,)
    if any(not isinstance(item, Mapping) for item in items):
        raise Refused(
            "syntax", "'<<' with something that is no mapping", "merge an alias of a mapping: <<: *name", key.span.start, key.span.end
        )
    return tuple(entry for item in items if isinstance(item, Mapping) for entry in (*reversed(item.entries), *item.merged))
