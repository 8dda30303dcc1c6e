"""Near names: told, never taken."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 200
"""A path or a name; comparing takes the square of the length."""


def close_to(word: str, known: Iterable[str]) -> str:
    """The name that is spelled most alike, or nothing."""
    from difflib import get_close_matches  # only a mistake needs it

    if len(word) > _LONGEST:
        return ""
    return next(iter(get_close_matches(word.lower(), list(known), n=1, cutoff=0.6)), "")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?``, or nothing."""
    near = close_to(word, known)
    return f"; did you mean '{near}'?" if near else ""
