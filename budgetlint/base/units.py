"""Byte quantities: exact integers in, exact integers out.

Nine units are spoken, each with its ``B``: ``kB MB GB TB`` are powers of 1000 (SI) and ``KiB MiB GiB TiB`` powers of 1024
(IEC 80000-13). A fraction is computed with whole numbers and floored, so no amount ever passes through a float.
"""

from __future__ import annotations

import re

from budgetlint.base.expression import expression
from budgetlint.base.record import record

KIB, MIB, GIB, TIB, PIB = (2 ** (10 * n) for n in range(1, 6))
GB = 10**9

DECIMAL = {"kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
BINARY = {"KiB": KIB, "MiB": MIB, "GiB": GIB, "TiB": TIB}
UNITS = {"B": 1, **DECIMAL, **BINARY}

_AMOUNT = expression(r"(?P<number>[0-9][0-9_]*(?:\.[0-9]+)?)[ ]?(?P<unit>[A-Za-z]+)")
_PREFIXES = {"k": ("kB", "KiB"), "m": ("MB", "MiB"), "g": ("GB", "GiB"), "t": ("TB", "TiB")}


@record
class Amount:
    """A number of bytes as somebody wrote it. ``bytes`` is exact, ``text`` the spelling, ``unit`` one of `UNITS`."""

    bytes: int
    text: str
    unit: str


@record
class NotAnAmount:
    """Why a text is no amount, and every reading it could have (``32GiB (34,359,738,368 bytes)``), likeliest first."""

    text: str
    problem: str
    readings: tuple[str, ...] = ()


def parse_amount(text: str) -> Amount | NotAnAmount:
    """Read ``32GiB`` or ``1.5GB``. Short suffixes, wrong case and a blank before the unit are refused with every reading."""
    match = _AMOUNT.fullmatch(text)
    if match is None:
        return NotAnAmount(text, f"'{text}' is not an amount of memory")
    number, unit = match["number"].replace("_", ""), match["unit"]
    if unit in UNITS and " " not in text:
        return Amount(_times(number, UNITS[unit]), text, unit)
    if unit in UNITS:
        return NotAnAmount(text, "an amount is one word", (f"{number}{unit}",))
    return NotAnAmount(text, f"'{unit}' is not a unit of memory", _readings(number, unit))


def _times(number: str, unit: int) -> int:
    """A decimal number of units, in bytes. (`fractions` is 3 ms of a process that takes 150, for its pattern and `decimal`.)"""
    whole, _, part = number.partition(".")
    scale: int = 10 ** len(part)
    return int(whole + part) * unit // scale


def _readings(number: str, unit: str) -> tuple[str, ...]:
    decimal, binary = _PREFIXES.get(unit[0].lower(), (None, None))
    if decimal is None or binary is None or not re.fullmatch(r"[KMGTkmgt](i|I)?(b|B)?", unit):
        return ()
    return tuple(f"{number}{u} ({_times(number, UNITS[u]):,} bytes)" for u in (binary, decimal))


def gib(count: int) -> str:
    """``2.79 GiB``; small figures in MiB or KiB, so that nothing real is printed as zero."""
    for size, unit in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if abs(count) >= size or (unit == "GiB" and abs(count) >= size // 10):
            return f"{count / size:,.2f} {unit}"
    return f"{count:,} B"


def gb(count: int) -> str:
    """``3.00 GB`` (10^9 bytes), the figure to compare with a data sheet."""
    return f"{count / GB:,.2f} GB"


def exact(count: int) -> str:
    """``3,000,000,000 bytes``."""
    return f"{count:,} bytes"


def both(count: int) -> str:
    """``29.80 GiB (32.00 GB)``."""
    return f"{gib(count)} ({gb(count)})"


def distinct(first: int, second: int) -> tuple[str, str]:
    """Two amounts as text; exact bytes are added where both would round to the same figure."""
    left, right = gib(first), gib(second)
    if left == right and first != second:
        return f"{left} ({exact(first)})", f"{right} ({exact(second)})"
    return left, right
