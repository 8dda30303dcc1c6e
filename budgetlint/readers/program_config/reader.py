"""A config that a program of the project opens: its values stand in the run of the program, and no key of it means anything by itself."""

from __future__ import annotations

from budgetlint.documents import Document, Loader
from budgetlint.readers.base import Reader
from budgetlint.settings.run import Reading, Role, Settings

FORMAT = "program_config"


def recognise(_document: Document) -> float:
    """By no key: who opens it is told by the program."""
    return 0.0


def read(document: Document) -> Reading:
    return Reading(FORMAT, Role.INPUT, document, Settings())


READER = Reader(FORMAT, Role.INPUT, Loader.PYYAML, recognise, read)
