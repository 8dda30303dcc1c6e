"""What ``${X%/*}``, ``${X##*/}``, ``${X//a/b}``, ``${X,,}`` and ``${X:0:4}`` make of a text.

Source: bash 5.2 manual 3.5.3. Patterns are literal text with stars; of anything else nothing is said.
"""

from __future__ import annotations

import re

from budgetlint.base.expression import expression

_SLICE = expression(r":\s*([0-9]{1,4})(?::([0-9]{1,4}))?")
_REPLACED = expression(r"(//?)((?:\\.|[^/\\])+)(?:/((?:\\.|[^\\])*))?")
_SPECIAL = frozenset("?[]$`\"'(){}|")
LONGEST = 400
"""Characters of a text that is cut."""


def changed(text: str, rest: str) -> str | None:
    """The text after the operator ``rest``; None for one that is not followed."""
    if len(text) > LONGEST or len(rest) > LONGEST:
        return None
    if rest in (",,", "^^"):
        return text.lower() if rest == ",," else text.upper()
    if (part := _SLICE.fullmatch(rest)) is not None:
        start = int(part[1])
        return text[start:] if part[2] is None else text[start : start + int(part[2])]
    if rest[:1] in ("%", "#"):
        return _cut(text, rest[0], rest[1:])
    found = _REPLACED.fullmatch(rest)
    return _replaced(text, found) if found is not None else None


def _cut(text: str, side: str, pattern: str) -> str | None:
    """``%`` and ``#`` take the shortest match off, doubled ones the longest."""
    longest = pattern.startswith(side)
    fits = glob(pattern[1:] if longest else pattern)
    if fits is None:
        return None
    ends = range(len(text) + 1)
    if side == "#":
        at = next((one for one in (reversed(ends) if longest else ends) if fits.fullmatch(text[:one])), 0)
        return text[at:]
    at = next((one for one in (ends if longest else reversed(ends)) if fits.fullmatch(text[one:])), len(text))
    return text[:at]


def glob(pattern: str) -> re.Pattern[str] | None:
    """What a pattern means; None for one that is not followed."""
    if _SPECIAL & set(pattern) or pattern.count("*") > 2:
        return None
    plain = re.sub(r"\\(.)", r"\1", pattern)
    return re.compile(".*".join(map(re.escape, plain.split("*"))), re.DOTALL)


def _replaced(text: str, found: re.Match[str]) -> str | None:
    every, old, new = found[1] == "//", found[2], found[3] or ""
    if (_SPECIAL | set("*#%&")) & set(old) or (_SPECIAL | {"&"}) & set(new):
        return None
    old, new = (re.sub(r"\\(.)", r"\1", one) for one in (old, new))
    return text.replace(old, new, -1 if every else 1)
