"""A length that is written as null: the trainer cuts nothing, and the longest sample decides."""

from __future__ import annotations

from budgetlint.readers.hf.length import UNBOUNDED
from budgetlint.readers.view import View
from budgetlint.settings.run import Setting


def unbounded(view: View, path: str) -> list[Setting]:
    """``seq_len`` in the state ``unbounded`` where the key at ``path`` is there and null."""
    if not view.has(path) or view.value(path) is not None:
        return []
    return [Setting("seq_len", None, view.origin(path), view.text(path) or "null", UNBOUNDED)]
