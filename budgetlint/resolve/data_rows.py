"""The longest row of a data file, in bytes. A token of a byte-level BPE or of SentencePiece with byte fallback is at least one byte of its
text (GPT-2's, Llama's, Qwen's, Mistral's, Gemma's tokenizers), so a row has no more tokens than bytes; only NFC, which Qwen's normalises
to, can make a text longer, and it is made here as well.

Rows are taken whole, with the names and quotes of all their fields: what is trained on is never more.
"""

from __future__ import annotations

import csv
import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from budgetlint.base.limits import DATA_TEXT
from budgetlint.base.record import field, record, state
from budgetlint.base.source import SourceFile
from budgetlint.files.disk import Files

BEYOND = ("image", "images", "video", "videos", "audio", "audios", "tools")
"""Columns whose tokens their text does not bound: media, and tools, around which templates write a manual."""


@record
class LongestRow:
    """``row``: its number, from 1."""

    path: str
    row: int
    bytes: int


def longest_row(source: SourceFile) -> LongestRow | None:
    """None for what is no list of rows: other formats, a table by columns, media, a text that breaks off."""
    rows = _FORMATS.get(PurePosixPath(source.path).suffix.lower())
    try:
        sizes = [_size(row) for row in rows(source.text)] if rows is not None else []
    except (ValueError, RecursionError, csv.Error):
        return None
    if not sizes:
        return None
    most = max(sizes)
    return LongestRow(source.path, sizes.index(most) + 1, most)


def _size(text: str) -> int:
    if text.isascii():
        return len(text)
    return max(len(one.encode("utf-8", "surrogatepass")) for one in (text, unicodedata.normalize("NFC", text)))


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        if stripped := line.strip():
            if not stripped.startswith("{") or any(f'"{name}"' in stripped for name in BEYOND):
                raise ValueError("no row of text")
            yield stripped


def _items(text: str) -> Iterator[str]:
    if text.lstrip().startswith("{"):  # a `.json` of datasets may hold a row in each line
        yield from _lines(text)
        return
    for row in _list_of(json.loads(text)):
        if not isinstance(row, dict) or not row.keys().isdisjoint(BEYOND):
            raise ValueError("no row of text")
        yield json.dumps(row, ensure_ascii=False)


def _list_of(value: object) -> Iterable[object]:
    if not isinstance(value, list):
        raise ValueError("no list of rows")
    return value


def _records(text: str) -> Iterator[str]:
    names, *rows = csv.reader(text.splitlines(keepends=True))
    if not set(names).isdisjoint(BEYOND):
        raise ValueError("no row of text")
    for row in rows:
        yield ",".join(row)


_FORMATS = {".jsonl": _lines, ".json": _items, ".csv": _records}


# -- read once -------------------------------------------------------------------------------------------------------------------


@state
class DataFiles:
    """The data files of a project: each is read once, however many runs name it."""

    files: Files
    left: int = DATA_TEXT.most
    rows: dict[str, LongestRow | None] = field(default_factory=dict)
    registries: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def longest(self, path: str) -> LongestRow | None:
        if path not in self.rows:
            source = self._read(path)
            self.rows[path] = longest_row(source) if source is not None else None
        return self.rows[path]

    def registry(self, path: str) -> Mapping[str, Any]:
        """A JSON file that says what names of data sets mean; empty where it is none."""
        if path not in self.registries:
            self.registries[path] = self._registry(path)
        return self.registries[path]

    def _registry(self, path: str) -> Mapping[str, Any]:
        source = self._read(path)
        try:
            found = json.loads(source.text) if source is not None else None
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def _read(self, path: str) -> SourceFile | None:
        source = self.files.read(path) if self.left > 0 else None
        if not isinstance(source, SourceFile):
            return None
        self.left -= len(source.text)
        return source
