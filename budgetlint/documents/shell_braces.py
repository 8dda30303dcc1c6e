"""Words that bash makes several of before it looks at anything else in them: ``{a,b}``, ``x{1..3}``.

Source: bash 5.2 manual 3.5.1. Braces that hold a quote or a variable are left to who reads the word: it is not known.
"""

from __future__ import annotations

from budgetlint.base.expression import expression
from budgetlint.base.numerals import whole
from budgetlint.documents.shell_words import Literal, Part

_SEVERAL = expression(r"\{[^{}]*(?:,|\.\.)[^{}]*\}")
_HIDDEN = "\0"
_RANGE = expression(r"(-?[0-9]{1,6})\.\.(-?[0-9]{1,6})(?:\.\.(-?[0-9]{1,6}))?")
_LETTERS = expression(r"([A-Za-z])\.\.([A-Za-z])")
MOST = 64
"""Words that one becomes."""


def alternatives(parts: tuple[Part, ...], most: int = MOST) -> list[tuple[Part, ...]] | None:
    """The words that one is to bash; None where they are not known, or too many."""
    if not any(isinstance(part, Literal) and not part.quoted and "{" in part.text for part in parts):
        return [parts]
    seen = "".join(part.text if isinstance(part, Literal) and not part.quoted else _HIDDEN for part in parts)
    found = _SEVERAL.search(seen)
    if found is None:
        return [parts]
    at = next((at for at, part in enumerate(parts) if isinstance(part, Literal) and not part.quoted and _SEVERAL.search(part.text)), None)
    if at is None or most == 1 or _HIDDEN in found[0]:
        return None
    part = parts[at]
    inner = _SEVERAL.search(part.text) if isinstance(part, Literal) else None
    if inner is None or not isinstance(part, Literal):
        return None
    if "{" in part.text[: inner.start()] and "}" in part.text[inner.end() :]:
        return None  # bash begins with the outer ones
    pieces = _pieces(inner[0], part.start + inner.start())
    if pieces is None:
        return None
    front, behind = Literal(part.text[: inner.start()], part.start), Literal(part.text[inner.end() :], part.start + inner.end())
    every: list[tuple[Part, ...]] = []
    for piece in pieces:
        joined = _merged((*parts[:at], front, piece, behind, *parts[at + 1 :]))
        more = alternatives(joined, most - len(every))
        if more is None or len(every) + len(more) > most:
            return None
        every.extend(more)
    return every


def _merged(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Without the empty texts that cutting leaves."""
    return tuple(part for part in parts if not isinstance(part, Literal) or part.text or part.quoted)


def _pieces(braces: str, start: int) -> list[Literal] | None:
    body = braces[1:-1]
    if "," in body:
        found, at = [], start + 1
        for piece in body.split(","):
            found.append(Literal(piece, at))
            at += len(piece) + 1
        return found
    if (letters := _LETTERS.fullmatch(body)) is not None:
        first, last = ord(letters[1]), ord(letters[2])
        way = 1 if last >= first else -1
        return [Literal(chr(code), start) for code in range(first, last + way, way)]
    numbers = _RANGE.fullmatch(body)
    return [Literal(text, start) for text in _numbers(*numbers.groups())] if numbers is not None else None


def _numbers(first: str, last: str, step: str | None) -> list[str]:
    """Zeros in front of either end give all of them that width."""
    begin, end, by = whole(first) or 0, whole(last) or 0, abs(whole(step or "1") or 0) or 1
    by = by if end >= begin else -by
    wide = max(len(first), len(last)) if any(one.lstrip("-")[:1] == "0" and len(one.lstrip("-")) > 1 for one in (first, last)) else 0
    every = range(begin, end + (1 if by > 0 else -1), by)
    return [f"{number:0{wide}d}" if wide else str(number) for number in every[: MOST + 1]]
