"""Configs that are made from each other: a file with nearly the keys of one that a program reads is meant for that program."""

from __future__ import annotations

from budgetlint.base.source import SourceFile
from budgetlint.documents import Document, load

_LEAST, _ALIKE = 6, 0.8
"""Keys at the top that both have, and their part of all: shorter files are alike by chance, and a copy gains or loses a few."""


def nearly_alike(document: Document, source: object) -> bool:
    """Has a file nearly the keys at the top that a document has?"""
    if document.mapping is None or not isinstance(source, SourceFile):
        return False
    mine = frozenset(document.mapping.keys())
    others = [frozenset(one.mapping.keys()) for one in load(source) if one.mapping is not None]
    return len(others) == 1 and len(mine & others[0]) >= _LEAST and len(mine & others[0]) >= _ALIKE * len(mine | others[0])
