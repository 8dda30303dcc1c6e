"""Keys that ask for what the estimate does not know (`memory/unmodelled.py`), as converters of a key table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from budgetlint.base import numerals
from budgetlint.readers.base import Unreadable, shown

_OFF = frozenset({"", "none", "null", "false", "no", "off", "0"})


def asks(name: str, over: int = 0) -> Callable[[Any], Any]:
    """The name where the value turns it on: true, a number above ``over``, a word that does not say no; else nothing. What looks like a
    number and is none (``--1``, ``²``, ``inf``) is no word."""

    def convert(value: Any) -> Any:
        if isinstance(value, bool):
            return (name,) if value else None
        text = str(value).strip().lower()
        if text in _OFF:
            return None
        number = numerals.real(text)
        if number is None and numerals.is_like_one(text):
            raise Unreadable(f"{shown(text)} is neither a number nor true or false", "write a number, true or false")
        return (name,) if number is None or number > over else None

    return convert
