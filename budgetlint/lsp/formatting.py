"""Formatting of budgets, as ``budgetlint fmt`` does it."""

from __future__ import annotations

from typing import Any

from budgetlint.lsp.edits import whole_text
from budgetlint.lsp.session import EditorSession, member


def answer(session: EditorSession, params: Any) -> list[dict[str, Any]] | None:
    """LSP 3.17 ``textDocument/formatting``; nothing for a budget that cannot be read whole, and for other files."""
    text = session.text(member(params, "textDocument"))
    if not text.path.endswith(".budget"):
        return None
    from budgetlint.language import format_text

    new = format_text(text.source.text)
    return [] if new == text.source.text else whole_text(session, text, new)
