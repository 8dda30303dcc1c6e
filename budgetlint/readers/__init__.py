"""One package per ecosystem: documents to settings with origins.

`identify` says whose document it is; `all_readers` are all of them. A document nobody claims is silently no config.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from budgetlint.base.record import record
from budgetlint.documents import Document
from budgetlint.frameworks import home_of, manifests
from budgetlint.readers.base import Reader, Reading
from budgetlint.readers.marks import candidates
from budgetlint.settings.run import Role

__all__ = ["Reader", "Tie", "all_readers", "identify", "reader_by", "reader_of", "recognise"]


@record
class Tie:
    """Several readers claim a document equally; it is reported, not guessed."""

    readers: tuple[Reader, ...]
    score: float


def all_readers() -> tuple[Reader, ...]:
    """Every reader there is."""
    return tuple(reader for manifest in manifests() for reader in _members(manifest.home))


def reader_of(format: str) -> Reader | None:
    """The reader whose format is called so. Only its own package is imported."""
    manifest = home_of(format)
    found = _members(manifest.home) if manifest is not None else ()
    return next((reader for reader in found if reader.format == format), None)


def reader_by(reading: Reading) -> Reader:
    """The reader that made a reading."""
    if reading.role is Role.STATED:
        from budgetlint.readers.stated import READER  # few budgets read files of their own

        return READER
    found = reader_of(reading.format)
    assert found is not None, reading.format
    return found


def readers_of(document: Document) -> tuple[Reader, ...]:
    """The readers that may claim this document. Their packages are imported when the first one is looked at."""
    return tuple([reader for manifest in candidates(document) for reader in _members(manifest.home)])


@cache
def _members(home: str) -> tuple[Reader, ...]:
    """The readers of a module."""
    module = import_module(home)
    return tuple(module.READERS) if hasattr(module, "READERS") else (module.READER,)


def recognise(document: Document) -> tuple[tuple[Reader, float], ...]:
    """The readers that claim the document, with their scores, highest first."""
    if document.root is None:
        return ()
    scored = ((reader, reader.recognise(document)) for reader in readers_of(document))
    return tuple(sorted((pair for pair in scored if pair[1] > 0), key=lambda pair: -pair[1]))


def identify(document: Document) -> Reader | Tie | None:
    """The one reader of the document, None where nobody claims it, or a `Tie`."""
    claims = recognise(document)
    if not claims:
        return None
    best = claims[0][1]
    first = tuple(reader for reader, score in claims if score == best)
    return first[0] if len(first) == 1 else Tie(first, best)
