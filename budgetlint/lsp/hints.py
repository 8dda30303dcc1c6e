"""Inlay hints: need, limit and headroom behind the first line of a config and of each run block."""

from __future__ import annotations

from typing import Any

from budgetlint.lsp.session import EditorSession, member
from budgetlint.lsp.verdicts import short, verdict_lines, words


def answer(session: EditorSession, params: Any) -> list[dict[str, Any]]:
    """LSP 3.17 ``textDocument/inlayHint``."""
    text = session.text(member(params, "textDocument"))
    positions = session.positions(text)
    span = positions.span(params.get("range"))
    first, last = text.source.position(span.start)[0], text.source.position(span.end)[0]
    return [
        {
            "position": positions.position(text.source.line_span(line).start + len(text.source.line(line))),
            "label": short(runs),
            "tooltip": words(runs),
            "paddingLeft": True,
        }
        for line, runs in verdict_lines(session, text)
        if first <= line <= last
    ]
