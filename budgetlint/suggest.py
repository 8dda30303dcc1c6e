"""Near names: told, never taken."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?``, or nothing."""
    near = get_close_matches(word.lower(), list(known), n=1, cutoff=0.6)
    return f"; did you mean '{near[0]}'?" if near else ""
