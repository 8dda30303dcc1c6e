"""Document symbols: the keys of a config, the statements of a budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from budgetlint.base.plain_text import one_line
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents import Mapping, Node, Scalar, Sequence
from budgetlint.language.tree import Item, Let, Statement
from budgetlint.lsp.here import documents_of
from budgetlint.lsp.positions import Positions
from budgetlint.lsp.session import EditorSession, member

MODULE, ARRAY, OBJECT, KEY, VARIABLE, EVENT = 2, 18, 19, 20, 13, 24
"""SymbolKind of LSP 3.17."""

DEEPEST, LONGEST = 12, 60


def answer(session: EditorSession, params: Any) -> list[dict[str, Any]]:
    """LSP 3.17 ``textDocument/documentSymbol``."""
    text = session.text(member(params, "textDocument"))
    positions = session.positions(text)
    if text.path.endswith(".budget"):
        from budgetlint.language.parsing import parse

        return list(_statements(parse(SourceFile(text.path, text.source.text))[0].items, positions))
    documents = documents_of(session.checked(text), text.path)
    return [symbol for document in documents for symbol in _entries(document.root, positions, DEEPEST)]


def _entries(node: Node | None, positions: Positions, depth: int) -> Iterator[dict[str, Any]]:
    if isinstance(node, Mapping) and depth:
        for entry in node.entries:
            whole = Span(entry.key.span.start, max(entry.key.span.end, entry.value.span.end))
            detail = entry.value.text[:LONGEST] if isinstance(entry.value, Scalar) else ""
            children = list(_entries(entry.value, positions, depth - 1))
            yield _symbol(entry.key.text, _kind(entry.value), positions, whole, entry.key.span, detail, children)
    elif isinstance(node, Sequence) and depth:
        for item in node.items:
            yield from _entries(item, positions, depth - 1)


def _kind(node: Node) -> int:
    return OBJECT if isinstance(node, Mapping) else ARRAY if isinstance(node, Sequence) else KEY


def _statements(items: Iterable[Item], positions: Positions) -> Iterator[dict[str, Any]]:
    for item in items:
        text = positions.source.text[item.span.start : item.span.end].partition("\n")[0].partition("{")[0].strip()
        if isinstance(item, Statement):
            children = list(_statements(item.block or (), positions))
            kind = MODULE if item.block is not None else KEY
            yield _symbol(text[:LONGEST], kind, positions, item.span, item.keyword_span, "", children)
        else:
            yield _symbol(text[:LONGEST], VARIABLE if isinstance(item, Let) else EVENT, positions, item.span, item.span, "", [])


def _symbol(
    name: str, kind: int, positions: Positions, whole: Span, own: Span, detail: str, children: list[dict[str, Any]]
) -> dict[str, Any]:
    symbol: dict[str, Any] = {
        "name": one_line(name) or "?",
        "kind": kind,
        "range": positions.range(whole),
        "selectionRange": positions.range(own),
    }
    return symbol | ({"detail": one_line(detail)} if detail else {}) | ({"children": children} if children else {})
