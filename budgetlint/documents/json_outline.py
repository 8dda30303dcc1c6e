"""What a long JSON text is about, without its tree: results and data sets are most of the JSON of a repository, and nobody's config."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from budgetlint.base import limits
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents.failure import MAX_DEPTH
from budgetlint.documents.node import Document, Entry, Mapping, Node, Scalar, Sequence, Style

_NOWHERE = Span(0, 0)


class JsonOutline(NamedTuple):
    """``document``: the keys of the first two levels, at no place. ``is_too_large``: more keys and values than are read."""

    document: Document
    is_too_large: bool


class _Pairs(list[tuple[str, Any]]):
    """An object, duplicate keys kept."""


def outline(source: SourceFile) -> JsonOutline | None:
    """None for what Python's own scanner does not take, and for what is nested deeper than is read: the tree says why."""
    try:
        root = json.loads(source.text, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError):
        return None
    count = _count(root)
    if count is None:
        return None
    return JsonOutline(Document(source, "json", _node(root, 2)), count > limits.NODES.most)


def _count(root: object) -> int | None:
    """Keys and values as `budgetlint.documents.json` counts them; None for too deep a nesting."""
    count, level = 1, [root]
    for _ in range(MAX_DEPTH + 1):
        held = [[value for _, value in one] if isinstance(one, _Pairs) else one for one in level if isinstance(one, list)]
        if not held:
            return count
        count += sum(map(len, held)) + sum(len(one) for one in level if isinstance(one, _Pairs))
        level = [value for values in held for value in values if isinstance(value, list)]
    return None


def _node(value: object, levels: int) -> Node:
    if isinstance(value, _Pairs):
        entries = [Entry(Scalar(key, _NOWHERE, Style.QUOTED), _node(one, levels - 1)) for key, one in value] if levels else []
        return Mapping(tuple(entries), _NOWHERE)
    return Sequence((), _NOWHERE) if isinstance(value, list) else Scalar("", _NOWHERE)
