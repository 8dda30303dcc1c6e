"""File text and places in it. Offsets count code points from 0; lines and columns, as people read them, from 1."""

from __future__ import annotations

import codecs
import errno
import os
import stat
from bisect import bisect_right
from functools import cached_property
from pathlib import Path
from typing import Any

from budgetlint.base import limits
from budgetlint.base.record import field, open_record, record

MAX_BYTES = limits.FILE_BYTES.most
"""Larger files are not training configs."""

_BOMS = {"utf-8-sig": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}


@record
class Span:
    """Half-open range of code point offsets in one file's text."""

    start: int
    end: int


@record
class SpanIn(Span):
    """A span in another file than the one whose document holds it: a config that is composed of several."""

    source: SourceFile = field(compare=False, repr=False)


@record
class Location:
    """A span as people and editors read it: line and column from 1, the end column exclusive."""

    file: str
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@open_record
class SourceFile:
    """The text of one file under the name the user knows it by. ``encoding`` is what it must be written back with."""

    path: str
    text: str
    encoding: str = "utf-8"

    @cached_property
    def _starts(self) -> list[int]:
        starts, text = [0], self.text
        at = text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = text.find("\n", at + 1)
        return starts

    @cached_property
    def facts(self) -> dict[Any, Any]:
        """What was worked out of the text, by name."""
        return {}

    @cached_property
    def cut(self) -> dict[str, int]:
        """The bounds (`budgetlint.base.limits`) that reading it has met, each with the offset of the first thing that was not read."""
        return {}

    def stop(self, bound: limits.Bound, at: int) -> None:
        """Reading has met a bound here: what lies behind it is not judged."""
        self.cut.setdefault(bound.name, at)

    @cached_property
    def _mentioned(self) -> dict[str, bool]:
        return {}

    def mentions(self, word: str) -> bool:
        """Does the word stand anywhere in the text? Asked for each of its documents, so it is searched once."""
        found = self._mentioned.get(word)
        if found is None:
            found = self._mentioned[word] = word in self.text
        return found

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of a code point offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def locate(self, span: Span) -> Location:
        line, column = self.position(span.start)
        end_line, end_column = self.position(max(span.start, span.end))
        return Location(self.path, line, column, end_line, end_column)

    def line(self, number: int) -> str:
        """The text of a line (from 1) without its line end; empty past the last one."""
        if not 1 <= number <= len(self._starts):
            return ""
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r")

    def line_span(self, number: int) -> Span:
        start = self._starts[number - 1]
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return Span(start, end)

    @property
    def line_count(self) -> int:
        return len(self._starts)


@record
class UnreadableFile:
    """A file that could not be read as text, and why; a value, so that one bad file never stops the others."""

    path: str
    problem: str
    cure: str
    too_large: bool = False


class IsALink(Exception):
    """Where a file was to be read only if it is none."""


def read_source(path: str | Path, name: str | None = None, limit: int = MAX_BYTES, *, follow: bool = True) -> SourceFile | UnreadableFile:
    """Read one regular file as text. Never blocks on a pipe or device, never reads more than ``limit`` bytes. Raises `IsALink` for a
    link that is not to be followed."""
    shown = str(name if name is not None else path)
    try:
        raw = _read_regular(path, shown, limit, follow)
    except OSError as error:
        if not follow and os.path.islink(path):  # noqa: PTH114
            raise IsALink(shown) from None
        return UnreadableFile(shown, f"cannot be read: {error.strerror or error}", "check the path and its permissions")
    return raw if isinstance(raw, UnreadableFile) else decode(shown, raw)


def _read_regular(path: str | Path, shown: str, limit: int, follow: bool) -> bytes | UnreadableFile:
    if not follow and not _NO_LINK and os.path.islink(path):  # noqa: PTH114  (Windows)
        raise IsALink(shown)
    descriptor = os.open(path, _READ if follow else _READ | _NO_LINK)
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(status.st_mode):
            return UnreadableFile(shown, "is not a regular file", _LEAVE_OUT)
        if status.st_size > limit:
            problem = f"is {status.st_size:,} bytes; a training config is at most {limit:,}"
            return UnreadableFile(shown, problem, _LEAVE_OUT, too_large=True)
        return _all_of(descriptor, limit + 1)
    finally:
        os.close(descriptor)


_LEAVE_OUT = "leave it out of the check, or name the training config itself"
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def _all_of(descriptor: int, most: int) -> bytes:
    """At most so many bytes. Thousands of small files are read: an unbuffered read costs half of what `open` does."""
    pieces: list[bytes] = []
    while most > 0 and (piece := os.read(descriptor, most)):
        pieces.append(piece)
        most -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def decode(name: str, raw: bytes) -> SourceFile | UnreadableFile:
    """Decode file bytes: UTF-8 with or without a byte order mark, or UTF-16 with one. The mark is not part of the text."""
    encoding = next((enc for enc, bom in _BOMS.items() if raw.startswith(bom)), "utf-8")
    body = raw[len(_BOMS.get(encoding, b"")) :]
    try:
        text = body.decode("utf-8" if encoding == "utf-8-sig" else encoding)
    except UnicodeDecodeError as error:
        return UnreadableFile(name, _undecodable(body, error), "save it as UTF-8")
    if "\0" in text:
        return UnreadableFile(name, _NUL, "save it as UTF-8, or leave it out of the check")
    return SourceFile(name, text, encoding)


_NUL = "holds NUL bytes: a binary file, or UTF-16 without a byte order mark"


def _undecodable(body: bytes, error: UnicodeDecodeError) -> str:
    if b"\0" in body[:4096] and error.encoding == "utf-8":
        return _NUL
    line = body.count(b"\n", 0, error.start) + 1
    return f"is not {error.encoding.upper()} text (byte {error.start:,}, line {line})"


def encode(text: str, encoding: str) -> bytes:
    """The bytes of ``text`` in the ``encoding`` that `decode` reported, byte order mark included."""
    return _BOMS.get(encoding, b"") + text.encode("utf-8" if encoding == "utf-8-sig" else encoding)
