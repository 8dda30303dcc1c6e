"""Where a value stands, and the way that it took."""

from __future__ import annotations

import ast
from typing import NamedTuple

from budgetlint.base.source import SourceFile, Span


class Place(NamedTuple):
    """Where something stands: lines and columns of a program (as `ast` counts them), or a span of a file."""

    path: str
    line: int
    node: ast.AST | None = None
    source: SourceFile | None = None
    span: Span | None = None

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


LISTED = "listed"
"""The kind of origin of what lies in a folder when the program runs."""


class Origin(NamedTuple):
    """One step of the way that a value took.

    ``kind``: ``source`` (a literal), ``flag``, ``config``, ``option`` (the default of an option or a dataclass field), ``class`` (the
    default of a package's class), ``environment``, ``declared``, ``listed``. ``key``: the flag, the dotted key, the field or the variable,
    the folder or pattern.
    """

    kind: str
    place: Place
    key: str = ""
