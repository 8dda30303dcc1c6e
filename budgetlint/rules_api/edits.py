"""Fixes for rules to offer: each returns the fix, or nothing where no edit of the text alone can do it.

A setting from a document is changed where it stands; one from a budget, a flag or a default has no document, so no edit.
"""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.base.finding import Edit, Fix, Safety
from budgetlint.base.source import SpanIn
from budgetlint.documents import Document, Entry, Scalar, Value
from budgetlint.settings.run import Setting

Cure = tuple[Fix, ...]


def set_value(documents: Iterable[Document], at: Setting | Entry, value: Value, title: str, safety: Safety) -> Cure:
    from budgetlint.documents.edit import set_value as edits_of

    document, entry = _entry(documents, at)
    if document is None or entry is None or not isinstance(entry.value, Scalar):
        return ()
    return _fix(title or f"set {entry.key.text} to {_shown(value)}", safety, edits_of(document, entry.value, value), document, entry)


def delete(documents: Iterable[Document], at: Setting | Entry, title: str, safety: Safety) -> Cure:
    from budgetlint.documents.edit import delete_entry

    document, entry = _entry(documents, at)
    if document is None or entry is None:
        return ()
    return _fix(title or f"delete {entry.key.text}", safety, delete_entry(document, entry), document, entry)


def rename(documents: Iterable[Document], at: Setting | Entry, name: str, title: str, safety: Safety) -> Cure:
    from budgetlint.documents.edit import rename_key

    document, entry = _entry(documents, at)
    if document is None or entry is None:
        return ()
    return _fix(title or f"rename {entry.key.text} to {name}", safety, rename_key(document, entry, name), document, entry)


def insert_after(documents: Iterable[Document], at: Setting | Entry, name: str, value: Value, title: str, safety: Safety) -> Cure:
    from budgetlint.documents.edit import insert_after as edits_of

    document, entry = _entry(documents, at)
    if document is None or entry is None:
        return ()
    return _fix(title or f"add {name}: {_shown(value)}", safety, edits_of(document, entry, name, value), document, entry)


def advice(title: str) -> Cure:
    """Told, never applied."""
    return (Fix(title, Safety.ADVICE),)


def _fix(title: str, safety: Safety, edits: tuple[Edit, ...], document: Document, entry: Entry) -> Cure:
    """What an alias brings elsewhere would change there too: that is not safe."""
    from budgetlint.documents.sharing import is_shared

    shared = safety is Safety.SAFE and is_shared(document, entry)
    return (Fix(title, Safety.UNSAFE if shared else safety, edits),) if edits else ()


def _entry(documents: Iterable[Document], at: Setting | Entry) -> tuple[Document | None, Entry | None]:
    """The entry and its document. A setting's entry must stand exactly where its origin says (not in a merged anchor)."""
    for document in documents:
        if document.format == "python":  # programs are read, not written
            continue
        if isinstance(at, Entry):
            return (None, None) if isinstance(at.value.span, SpanIn) else (document, at)
        if document.source is at.origin.source:
            entry = document.entry(at.origin.key)
            if entry is not None and entry.value.span == at.origin.span:
                return document, entry
    return None, None


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)
