"""What of a text or a value is a number: finite, in ASCII digits, of bounded length.

Python's own ``int()``, ``float()`` and ``str.isdigit()`` take more than any loader writes: ``²`` is a digit that ``int`` refuses, ``٣``
one that it takes, ``1e400`` is infinity, and an integer of 4,301 digits is an exception. Here such things are no numbers, and nothing
raises.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING

from budgetlint.base.expression import expression

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["LARGEST", "LONGEST", "exact", "finite", "is_digits", "is_endless", "is_like_one", "real", "small", "whole"]

LARGEST = 2**50
"""No count, and no size in elements or bytes, is larger: 1 PiB."""

LONGEST = 400
"""Characters of a number: the largest float has 309 digits before its point. Of a longer text nobody means the value."""


_WHOLE = expression(r"[-+]?[0-9]+(?:_[0-9]+)*")
_REAL = expression(r"[-+]?(?:[0-9]+(?:_[0-9]+)*(?:\.(?:[0-9]+(?:_[0-9]+)*)?)?|\.[0-9]+(?:_[0-9]+)*)(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?")


def is_digits(text: str) -> bool:
    """Nothing but 0 to 9, at least one and at most `LONGEST`."""
    return text.isascii() and text.isdigit() and len(text) <= LONGEST


def small(text: str) -> int | None:
    """A count without a sign and of at most 18 digits, as texts name devices, nodes and places; None for anything else."""
    return int(text) if is_digits(text) and len(text) <= 18 else None


def whole(text: str) -> int | None:
    """The whole number that ``int()`` makes of an ASCII text, with blanks around it and underscores between its digits."""
    bare = text.strip()
    return int(bare) if len(bare) <= LONGEST and _WHOLE.fullmatch(bare) else None


def real(text: str) -> float | None:
    """The finite number that ``float()`` makes of an ASCII text; None for words (``inf``, ``nan``), and for what is too large."""
    bare = text.strip()
    if len(bare) > LONGEST or not _REAL.fullmatch(bare):
        return None
    number = float(bare)
    return number if isfinite(number) else None


def exact(text: str) -> Fraction | None:
    """The number of an ASCII text as a fraction; None for no number, and where digits or exponent pass `LONGEST`: ``1e99999999`` is a
    number of a hundred million digits."""
    bare = text.strip()
    if len(bare) > LONGEST or not _REAL.fullmatch(bare):
        return None
    mantissa, _, power = bare.replace("_", "").lower().partition("e")
    if len(power) > 8 or abs(int(power or "0")) > LONGEST:
        return None
    from fractions import Fraction  # 3 ms of a process

    return Fraction(mantissa) * Fraction(10) ** int(power or "0")


def finite(value: object) -> float | None:
    """A loader's value as a finite number: an ``int`` or a ``float``, or a text that is one (`real`). True and False are none."""
    if isinstance(value, str):
        return real(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:  # an integer of more than 308 digits
        return None
    return number if isfinite(number) else None


_ENDLESS = expression(r"[-+]?\.?(?:inf|infinity|nan)", re.IGNORECASE)


def is_endless(value: object) -> bool:
    """A number to Python that is not finite, or that no float reaches: ``inf``, ``nan``, ``1e400``, an integer of 400 digits."""
    if isinstance(value, str):
        bare = value.strip()
        return _ENDLESS.fullmatch(bare) is not None or (_REAL.fullmatch(bare) is not None and real(bare) is None)
    return isinstance(value, (int, float)) and not isinstance(value, bool) and finite(value) is None


def is_like_one(text: str) -> bool:
    """Meant for a number, and none: ``--1``, ``²``, ``٣``, ``1e400``, ``nan``. Words and numbers are not."""
    bare = text.strip().lstrip("+-").replace("_", "").replace(".", "", 1)
    return real(text) is None and (bare.isnumeric() or is_endless(text))
