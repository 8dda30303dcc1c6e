"""Read a file by what it is: the format from its name, and from its content where the name says nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

from budgetlint.base.expression import expression
from budgetlint.base.source import SourceFile
from budgetlint.documents.node import Document
from budgetlint.documents.yaml import read_yaml


def _json(source: SourceFile) -> tuple[Document, ...]:
    from budgetlint.documents.json import read_json  # a parser is imported when the first file of its format is met

    return read_json(source)


def _toml(source: SourceFile) -> tuple[Document, ...]:
    from budgetlint.documents.toml import read_toml

    return read_toml(source)


def _python(source: SourceFile) -> tuple[Document, ...]:
    from budgetlint.documents.python import read_python

    return read_python(source)


FORMATS: dict[str, Callable[[SourceFile], tuple[Document, ...]]] = {
    "yaml": read_yaml,
    "json": _json,
    "toml": _toml,
    "python": _python,
}

_SUFFIXES = {
    "yaml": "yaml", "yml": "yaml", "json": "json", "jsonc": "json", "json5": "json", "hjson": "json", "toml": "toml",
    "py": "python",
}  # fmt: skip
_FIRST = expression(r"\ufeff?(?:\s+|#[^\n]*|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_TOML_LINE = expression(r"\[{1,2}[A-Za-z0-9_.\-\"' ]+\]{1,2}[ \t]*(?:#[^\n]*)?\r?$|[A-Za-z0-9_.\-\"]+[ \t]*=(?!=)", re.MULTILINE)


def load(source: SourceFile) -> tuple[Document, ...]:
    """The documents of a file: several for YAML with ``---``, else one. Never raises for what the file holds."""
    return FORMATS[format_of(source)](source)


def format_of(source: SourceFile) -> str:
    """``yaml``, ``json``, ``toml`` or ``python``: by suffix, else by the first thing that is no comment."""
    _, _, suffix = source.path.rpartition("/")[2].rpartition(".")
    return _SUFFIXES.get(suffix.lower()) or _sniffed(source.text)


def _sniffed(text: str) -> str:
    at = _FIRST.match(text).end()  # type: ignore[union-attr]
    if _TOML_LINE.match(text, at):
        return "toml"
    return "json" if text[at : at + 1] in ("{", "[") and not text.startswith("{{", at) else "yaml"
