"""Go to the file and line that a value comes from: the file that a reference names, the line that overrides this one."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any

from budgetlint.base.source import Location
from budgetlint.lsp.here import documents_of, settings_at
from budgetlint.lsp.session import EditorSession, member
from budgetlint.lsp.statement_text import statement_at
from budgetlint.lsp.texts import Text
from budgetlint.lsp.workspace import CheckedWorkspace


def answer(session: EditorSession, params: Any) -> list[dict[str, Any]]:
    """LSP 3.17 ``textDocument/definition``."""
    text = session.text(member(params, "textDocument"))
    offset = session.positions(text).offset(params.get("position"))
    found: dict[str, dict[str, Any]] = {}
    for at in _places(session.checked(text), text, offset):
        place = session.place_beside(text, at.file)
        if place is not None:
            uri, positions = place
            found.setdefault(str(at), {"uri": uri, "range": positions.located(at)})
    return list(found.values())


def _places(checked: CheckedWorkspace, text: Text, offset: int) -> Iterator[Location]:
    yield from _referred(checked, text.path, offset)
    if text.path.endswith(".budget"):
        yield from _configs(checked, text, offset)
    for used in settings_at(checked, text.path, offset):
        winner = used.context.setting(used.setting.name)
        at = winner.origin.location if winner is not None and winner is not used.setting else None
        if at is not None:
            yield at


def _referred(checked: CheckedWorkspace, path: str, offset: int) -> Iterator[Location]:
    """The files of the run that a reference at this place names."""
    for context in checked.judged.runs:
        for reading in context.run.readings:
            for reference in reading.references:
                span, source = reference.origin.span, reference.origin.source
                if span is not None and source is not None and source.path == path and span.start <= offset <= span.end:
                    name = posixpath.basename(reference.text)
                    files = {one.document.path for one in context.run.readings}
                    yield from (Location(file) for file in sorted(files) if posixpath.basename(file) == name)
    for document in documents_of(checked, path):
        yield from _path_at(checked, document.source.text, path, offset)


def _path_at(checked: CheckedWorkspace, text: str, path: str, offset: int) -> Iterator[Location]:
    """A path that stands in the text, where a file is there."""
    start = max(text.rfind(stop, 0, offset) for stop in " \t\n\"'=:,") + 1
    ends = [found for stop in " \t\n\"'," if (found := text.find(stop, offset)) >= 0]
    word = text[start : min(ends, default=len(text))].strip()
    if "." not in word or len(word) > 300:
        return
    for base in (posixpath.dirname(path), ""):
        whole = posixpath.normpath(posixpath.join(base, word))
        if checked.files.exists(whole):
            yield Location(whole)


def _configs(checked: CheckedWorkspace, text: Text, offset: int) -> Iterator[Location]:
    """The files that a ``config``, ``reads``, ``watches`` or ``include`` statement names, and the one in a command."""
    statement = statement_at(text.source.text, offset)
    if statement is not None and statement.keyword == "launch":
        yield from _path_at(checked, text.source.text, text.path, offset)
    if statement is None or statement.keyword not in ("config", "reads", "watches", "include"):
        return
    for value in statement.values:
        name = getattr(value, "content", "")
        whole = posixpath.normpath(posixpath.join(posixpath.dirname(text.path), name))
        files = checked.files.glob(whole) if any(c in name for c in "*?[") else [whole] if checked.files.exists(whole) else []
        yield from map(Location, files)
