"""Files whose keys a budget reads: nothing of theirs is anybody's format, and no framework fills anything in."""

from __future__ import annotations

from budgetlint.documents import Document, Loader
from budgetlint.readers.base import Reader
from budgetlint.settings.run import Reading, Role, Settings

FORMAT = "stated"


def _read(document: Document) -> Reading:
    return Reading(FORMAT, Role.STATED, document, Settings())


READER = Reader(FORMAT, Role.STATED, Loader.PYYAML, lambda _document: 0.0, _read)
