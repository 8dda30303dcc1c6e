"""Whole numbers that a script works out from values it holds itself: ``$((TOTAL / GPUS))``, ``$(expr 16 / $GPUS)``.

Sources: POSIX.1-2017 Shell Command Language 2.6.4 and ``expr``; division cuts towards zero, as in C.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from budgetlint.base.expression import expression
from budgetlint.base.numerals import is_digits, small

_WRITTEN = (
    expression(r"\$\(\((.*)\)\)", re.DOTALL),
    expression(r"\$\(\s*expr\s(.*)\)", re.DOTALL),
    expression(r"`\s*expr\s(.*)`", re.DOTALL),
)
_TOKEN = expression(
    r"\s*(?:(0|[1-9][0-9]*)(?![0-9A-Za-z#])|\$?\{?([A-Za-z_]\w*)\}?|\$(?:([#1-9])(?!\w)|\{([#1-9])\})"
    r"|\\?(<=|>=|==|!=|&&|\|\||[-+*/%()<>?:]))"
)
_LEVELS = (("||",), ("&&",), ("==", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "/", "%"))
MAX_LENGTH = 200
"""Characters of one expression; 1e300 and its like have no place in a launch."""

Value = Callable[[str], str | None]
"""What a variable holds, None where that is not known."""


def computed(text: str, value: Value) -> str | None:
    """The number, or None for what is no arithmetic or needs what nobody knows."""
    body = next((found[1] for pattern in _WRITTEN if (found := pattern.fullmatch(text))), None)
    tokens = _tokens(body, value) if body is not None and len(body) <= MAX_LENGTH else None
    if not tokens:
        return None
    number, at = _choice(tokens, 0)
    return str(number) if number is not None and at == len(tokens) and abs(number) < 2**63 else None


def _tokens(body: str, value: Value) -> list[str] | None:
    found, at, body = [], 0, body.rstrip()
    while at < len(body):
        match = _TOKEN.match(body, at)
        name = match[2] or match[3] or match[4] if match else ""
        held = value(name) if name else match[1] or match[5] if match else None
        if match is None or held is None or not (match[5] or is_digits(held)) or len(held) > 18:
            return None
        found.append(held)
        at = match.end()
    return found


def _choice(tokens: Sequence[str], at: int) -> tuple[int | None, int]:
    """``A ? B : C``, which binds weakest and from the right."""
    asked, at = _level(tokens, at, 0)
    if asked is None or at >= len(tokens) or tokens[at] != "?":
        return asked, at
    one, at = _choice(tokens, at + 1)
    if one is None or at >= len(tokens) or tokens[at] != ":":
        return None, at
    other, at = _choice(tokens, at + 1)
    return (None if other is None else one if asked else other), at


def _level(tokens: Sequence[str], at: int, level: int) -> tuple[int | None, int]:
    """The value of the longest expression of this level from ``at`` on, and where it ends."""
    if level == len(_LEVELS):
        return _atom(tokens, at)
    left, at = _level(tokens, at, level + 1)
    while left is not None and at < len(tokens) and tokens[at] in _LEVELS[level]:
        sign = tokens[at]
        right, at = _level(tokens, at + 1, level + 1)
        left = _applied(sign, left, right)
    return left, at


def _atom(tokens: Sequence[str], at: int) -> tuple[int | None, int]:
    text = tokens[at] if at < len(tokens) else ""
    if text in ("-", "+"):
        number, end = _atom(tokens, at + 1)
        return (-number if text == "-" and number is not None else number), end
    if text != "(":
        return small(text), at + 1
    number, end = _choice(tokens, at + 1)
    return (number if end < len(tokens) and tokens[end] == ")" else None), end + 1


def _applied(sign: str, left: int, right: int | None) -> int | None:
    if right is None or (right == 0 and sign in "/%"):
        return None
    if sign in "/%":
        quotient = abs(left) // abs(right) * (1 if left * right >= 0 else -1)
        return quotient if sign == "/" else left - quotient * right
    if sign in _ASKED:
        return int(_ASKED[sign](left, right))
    return {"+": left + right, "-": left - right, "*": left * right}[sign]


_ASKED: dict[str, Callable[[int, int], bool]] = {
    "||": lambda left, right: bool(left or right),
    "&&": lambda left, right: bool(left and right),
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}
