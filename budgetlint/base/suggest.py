"""Near names: told, never taken."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 200
"""A path or a name; comparing takes the square of the length."""


def near_names(word: str, known: Iterable[str], *, most: int = 1, alike: float = 0.6, longest: int = _LONGEST) -> tuple[str, ...]:
    """The names spelled most like a word, whatever their case, likeliest first. ``alike``: the least share of letters in common
    (difflib's ratio); a word that is longer than ``longest`` characters was meant as no name."""
    from difflib import get_close_matches  # 5 ms to import, and only a mistake needs it

    if len(word) > longest:
        return ()
    lowered: dict[str, str] = {}
    for name in known:
        lowered.setdefault(name.lower(), name)
    return tuple(lowered[one] for one in get_close_matches(word.lower(), lowered, n=most, cutoff=alike))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?``, or nothing."""
    return next((f"; did you mean '{name}'?" for name in near_names(word, known)), "")
