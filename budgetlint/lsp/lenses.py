"""Code lenses: the verdicts, for editors that show no inlay hints."""

from __future__ import annotations

from typing import Any

from budgetlint.lsp.session import EditorSession, member
from budgetlint.lsp.verdicts import verdict_lines, words


def answer(session: EditorSession, params: Any) -> list[dict[str, Any]]:
    """LSP 3.17 ``textDocument/codeLens``: titles without a command."""
    text = session.text(member(params, "textDocument"))
    positions = session.positions(text)
    spans = ((text.source.line_span(line), words(runs)) for line, runs in verdict_lines(session, text))
    return [{"range": positions.range(span), "command": {"title": title, "command": ""}} for span, title in spans]
