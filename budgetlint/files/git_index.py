"""What git tracks, read from its index without starting git: is anything in this folder part of the repository?

The format is git's own ``Documentation/gitformat-index.txt`` (versions 2 to 4). Whatever is not understood (a split or sparse index, a
newer version) counts as tracked: then a folder is looked into rather than passed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

_NUMBERS = 40
"""Bytes of an entry before the id of its object: ten 32-bit numbers."""
_IDS = (20, 32)
"""Bytes of an object's id: SHA-1, SHA-256. Behind it come two bytes of flags, and the name."""
_EXTENDED, _LENGTH = 0x4000, 0x0FFF
_MOST = 2**28
"""An index of 256 MiB lists three million files; a larger one is not read."""


def tracks(raw: bytes | None, folder: str) -> bool:
    """Does the checkout whose index this is track anything at or below ``folder`` (its path from the top, with ``/``)?"""
    if raw is None:
        return False
    start = os.fsencode(folder.rstrip("/"))
    if raw[:4] != b"DIRC" or len(raw) < 32:
        return True
    version = int.from_bytes(raw[4:8])
    if version in (2, 3) and start + b"/" not in raw and start + b"\0" not in raw:
        return b"link" in raw or b"sdir" in raw  # a split index keeps names elsewhere, a sparse one only those of folders
    if version not in (2, 3, 4):
        return True
    names = next((found for size in _IDS if (found := _names(raw, version, size)) is not None), None)
    return names is None or any(name == start or name.startswith(start + b"/") or _is_sparse(name, start) for name in names)


def _is_sparse(name: bytes, start: bytes) -> bool:
    """A folder above that stands for all that is in it."""
    return name.endswith(b"/") and start.startswith(name)


def index_of(top: str) -> bytes | None:
    """The bytes of the index; None where this is no git checkout, or nothing was ever added."""
    mark = os.path.join(top, ".git")  # noqa: PTH118
    try:
        if os.path.isfile(mark):  # noqa: PTH113  (a worktree or submodule)
            with open(mark, encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123
                mark = os.path.join(top, file.read(4096).removeprefix("gitdir:").strip())  # noqa: PTH118
        with open(os.path.join(mark, "index"), "rb") as file:  # noqa: PTH118, PTH123
            raw = file.read(_MOST + 1)
    except (OSError, ValueError):
        return None
    return raw if len(raw) <= _MOST else b""


def _names(raw: bytes, version: int, id_size: int) -> list[bytes] | None:
    """The paths of all entries, in order; None where the bytes are not laid out so."""
    try:
        return list(_entries(raw, version, _NUMBERS + id_size))
    except (IndexError, ValueError):
        return None


def _entries(raw: bytes, version: int, flags_at: int) -> Iterator[bytes]:
    at, last = 12, b""
    for _ in range(int.from_bytes(raw[8:12])):
        flags = int.from_bytes(raw[at + flags_at : at + flags_at + 2])
        begin = at + flags_at + (4 if flags & _EXTENDED else 2)
        if version == 4:
            cut, begin = _varint(raw, begin)
            end = raw.index(b"\0", begin)
            last = last[: len(last) - cut] + raw[begin:end]
            at = end + 1
        else:
            end = raw.index(b"\0", begin)
            last = raw[begin:end]
            at += (end - at) // 8 * 8 + 8  # padded with one to eight NUL bytes
        if flags & _LENGTH != min(len(last), _LENGTH):
            raise ValueError
        yield last


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    """A number in the encoding of pack offsets (``gitformat-pack``), and where it ends."""
    value = raw[at] & 0x7F
    while raw[at] & 0x80:
        at += 1
        value = (value + 1) << 7 | (raw[at] & 0x7F)
    return value, at + 1
