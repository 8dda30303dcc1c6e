"""``math`` on known numbers, and sums and products of them."""

from __future__ import annotations

import math

from budgetlint.program.objects import Handler
from budgetlint.program.packages.plain import MOST_BITS, Small, exact
from budgetlint.program.values import Known, Value

_MOST = 500
_FREE = (
    "acos", "asin", "atan", "atan2", "cbrt", "ceil", "copysign", "cos", "cosh", "degrees", "dist", "erf", "exp", "exp2", "expm1", "fabs",
    "floor",
    "fmod", "frexp", "fsum", "gcd", "hypot", "isclose", "isfinite", "isinf", "isnan", "isqrt", "log", "log10", "log1p", "log2", "modf",
    "pow",
    "radians", "remainder", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
)  # fmt: skip


def _few(*given: object) -> bool:
    return all(not isinstance(one, int) or abs(one) <= _MOST for one in given)


def _product(numbers: object = (), **named: object) -> bool:
    """Integers whose product is no longer than is followed."""
    whole = [one for one in (*numbers, *named.values()) if isinstance(one, int)]  # type: ignore[misc]
    return sum(one.bit_length() for one in whole) <= MOST_BITS


def _least(*given: object) -> bool:
    return sum(one.bit_length() for one in given if isinstance(one, int)) <= MOST_BITS


_SIZED: dict[str, Small] = {"factorial": _few, "comb": _few, "perm": _few, "ldexp": _few, "prod": _product, "lcm": _least}
FUNCTIONS: dict[str, Handler] = {
    **{f"math.{name}": exact(f"math.{name}", getattr(math, name), package="math") for name in _FREE if hasattr(math, name)},
    **{f"math.{name}": exact(f"math.{name}", getattr(math, name), small, "math") for name, small in _SIZED.items()},
}  # fmt: skip
CONSTANTS: dict[str, Value] = {f"math.{name}": Known(getattr(math, name)) for name in ("pi", "e", "inf", "nan", "tau")}
