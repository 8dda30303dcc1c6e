"""Paths of which only the end is known (``f"{root}/Qwen2.5-7B"``): whatever lies in front, the last part tells what it is."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from budgetlint.program.values import Ending, Known, Opaque, Open, Value

_OPEN = frozenset("${}~<>*?|")
"""Characters of a part that is still to be worked out."""
SLASH = Known("/")


def with_end(value: Value, parts: Iterable[Value]) -> Value:
    """What is not known, with the last part of the path that these texts, one behind the other, come to."""
    end = _last("".join(_known_end(parts))) if type(value) is Opaque else ""
    return Ending(value, end) if end and isinstance(value, Opaque) else value


def between(parts: Iterable[Value]) -> list[Value]:
    """Parts of a path with a slash in front of each."""
    return [one for part in parts for one in (SLASH, part)]


def _known_end(parts: Iterable[Value]) -> list[str]:
    found: list[str] = []
    for one in reversed(list(parts)):
        if isinstance(one, Known) and isinstance(one.value, str | PurePosixPath):
            found.insert(0, str(one.value))
            continue
        end = end_of(one)
        return [f"/{end}", *found] if end else found
    return found


def end_of(value: Value) -> str:
    """The last part of a path that is not known; empty where that is not known either."""
    if isinstance(value, Ending):
        return value.end
    return _last(value.name) if isinstance(value, Open) and value.kind == "word" else ""


def _last(text: str) -> str:
    _, slash, last = text.rstrip("/").rpartition("/")
    return last if slash and not _OPEN & set(last) and last not in (".", "..") else ""
