"""Files that a declared run was written from. It holds as long as their texts are what they were: their hash stands in its line, so no
clock and no history is asked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from enum import Enum

from budgetlint.base.record import record
from budgetlint.language.budget import Watch
from budgetlint.measured.digest import DIGITS, PREFIX


class Seal(Enum):
    """``UNSEALED``: nobody wrote down yet what the texts are. ``UNREAD``: one of them cannot be read, or they are too many."""

    FRESH = "fresh"
    UNSEALED = "unsealed"
    STALE = "stale"
    UNREAD = "unread"


@record
class Watched:
    """One `watches` line: the files that it names, the hash of their texts now, and how that is to the one that it states."""

    watch: Watch
    files: tuple[str, ...]
    now: str
    seal: Seal
    why: str = ""


def texts_hash(texts: Iterable[tuple[str, str]]) -> str:
    """``sha256:3f7a90c1…`` of (path, text) pairs. How lines end is not part of it: git may write them as it likes."""
    whole = hashlib.sha256()
    for path, text in sorted(texts):
        part = text.replace("\r\n", "\n").encode("utf-8", "surrogatepass")
        whole.update(f"{path}\0{len(part)}\0".encode("utf-8", "surrogatepass"))
        whole.update(part)
    return PREFIX + whole.hexdigest()[:DIGITS]
