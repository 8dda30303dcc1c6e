"""Fixes as the editor applies them: a WorkspaceEdit, one list of edits for each file (LSP 3.17, "WorkspaceEdit")."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from budgetlint.base.finding import Edit
from budgetlint.base.source import Span
from budgetlint.lsp.session import EditorSession
from budgetlint.lsp.texts import Text


def workspace_edit(session: EditorSession, text: Text, edits: Iterable[Edit]) -> dict[str, Any] | None:
    """None where one of the files cannot be named to the editor."""
    changes: dict[str, list[dict[str, Any]]] = {}
    for edit in edits:
        place = session.place_beside(text, edit.file)
        if place is None:
            return None
        uri, positions = place
        changes.setdefault(uri, []).append({"range": positions.range(edit.span), "newText": edit.text})
    return {"changes": changes} if changes else None


def whole_text(session: EditorSession, text: Text, new: str) -> list[dict[str, Any]]:
    """The edit that makes a text another one, by what differs between its ends: cursors and folds elsewhere stay."""
    positions, old = session.positions(text), text.source.text
    start = _same(old, new)
    end = _same(old[start:][::-1], new[start:][::-1])
    return [{"range": positions.range(Span(start, len(old) - end)), "newText": new[start : len(new) - end]}]


def _same(one: str, other: str) -> int:
    """How many characters two texts share from the start."""
    most = min(len(one), len(other))
    return next((index for index in range(most) if one[index] != other[index]), most)
