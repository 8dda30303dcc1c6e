"""Keys that ask for what the estimate does not know (`memory/unmodelled.py`), as converters of a key table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_OFF = frozenset({"", "none", "null", "false", "no", "off", "0"})


def asks(name: str, over: int = 0) -> Callable[[Any], Any]:
    """The name where the value turns it on: true, a number above ``over``, a word that does not say no; else nothing."""

    def convert(value: Any) -> Any:
        if isinstance(value, bool):
            return (name,) if value else None
        text = str(value).strip().lower()
        if text in _OFF:
            return None
        if text.lstrip("+-").isdigit():
            return (name,) if int(text) > over else None
        return (name,)

    return convert


def when(name: str, words: frozenset[str]) -> Callable[[Any], Any]:
    """The name where the value is one of ``words``."""
    return lambda value: (name,) if str(value).strip().lower() in words else None
