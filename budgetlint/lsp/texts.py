"""Texts that the editor holds: opened, changed by whole or by ranges, closed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from budgetlint.base.record import record, replace
from budgetlint.base.source import MAX_BYTES, SourceFile
from budgetlint.lsp.positions import Positions
from budgetlint.lsp.protocol import INVALID_PARAMS, ResponseError


@record
class Text:
    """One open document. ``path`` is how budgetlint names it below its ``root``, ``version`` the editor's count."""

    uri: str
    root: Path
    path: str
    source: SourceFile
    version: int | None = None


def changed(text: Text, version: object, changes: object, encoding: str) -> Text:
    """The text after ``textDocument/didChange``: changes hold one after the other."""
    if not isinstance(changes, list):
        raise ResponseError(INVALID_PARAMS, "contentChanges is a list")
    source = text.source
    for change in changes:
        source = SourceFile(text.path, _applied(source, change, encoding))
    return replace(text, source=source, version=version if type(version) is int else None)


def _applied(source: SourceFile, change: Any, encoding: str) -> str:
    if not isinstance(change, Mapping) or not isinstance(change.get("text"), str):
        raise ResponseError(INVALID_PARAMS, "a change has a text")
    new: str = change["text"]
    if change.get("range") is None:
        return new
    span = Positions(source, encoding).span(change["range"])
    return source.text[: span.start] + new + source.text[span.end :]


def too_large(source: SourceFile) -> bool:
    """A text that no check reads from the disk either."""
    return len(source.text) > MAX_BYTES
