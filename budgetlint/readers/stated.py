"""Files whose keys a budget reads: nothing of theirs is anybody's format, and no framework fills anything in."""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.base.source import SourceFile
from budgetlint.documents import Document, Loader
from budgetlint.readers.base import Reader
from budgetlint.settings.run import Reading, Role, Setting, Settings

FORMAT = "stated"


def stated_by(source: SourceFile, settings: Iterable[Setting]) -> Reading:
    """The reading of a text that says these settings. It has no tree: what else stands there is no key of any framework, whatever it is
    called, and no rule may take it for one."""
    return Reading(FORMAT, Role.STATED, Document(source, FORMAT, None), Settings(settings))


def _read(document: Document) -> Reading:
    return stated_by(document.source, ())


READER = Reader(FORMAT, Role.STATED, Loader.PYYAML, lambda _document: 0.0, _read)
