"""The card that a run would need, written into its config as the device: from then on there is a verdict."""

from __future__ import annotations

from typing import Any

from budgetlint.base.finding import Edit, Finding
from budgetlint.base.source import Span
from budgetlint.documents.edit import apply
from budgetlint.lsp.edits import workspace_edit
from budgetlint.lsp.session import EditorSession
from budgetlint.lsp.texts import Text


def named_card(session: EditorSession, text: Text, finding: Finding) -> dict[str, Any] | None:
    """Title and edit for a ``smallest-card`` finding; None for others, and where the comment would not be read."""
    card = finding.numbers.get("card") if finding.name == "smallest-card" else None
    if card is None:
        return None
    words = f"budget: device {card}"
    edit = Edit(text.path, _top(text), f"# {words}\n")
    after = session.tried(text, {text.path: apply(text.source.text, [edit])})
    if any(one.fingerprint == finding.fingerprint for one in after.findings):
        return None
    changes = workspace_edit(session, text, [edit])
    return {"title": f"judge it on this card ({words})", "edit": changes} if changes else None


def _top(text: Text) -> Span:
    """The first line, or the second of a script that names its program in the first."""
    start = text.source.line_span(1).end if text.source.text.startswith("#!") else 0
    return Span(start, start)
