"""How sure a share is: the Wilson interval of a binomial proportion, which keeps its meaning for few cases and for none or all right."""

from __future__ import annotations

from math import sqrt

Z = 1.959963984540054
"""The normal quantile of 97.5 %: two-sided 95 %."""


def wilson(right: int, asked: int) -> tuple[float, float]:
    """Both ends of the 95 % interval, as shares. ``(0.0, 1.0)`` where nothing was asked.

    Wilson (1927), "Probable inference, the law of succession, and statistical inference", J. Am. Stat. Assoc. 22:
    (p + z^2/2n +- z sqrt(p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n).
    """
    if asked == 0:
        return 0.0, 1.0
    share, square = right / asked, Z * Z
    middle = share + square / (2 * asked)
    reach = Z * sqrt(share * (1 - share) / asked + square / (4 * asked * asked))
    return max(0.0, (middle - reach) / (1 + square / asked)), min(1.0, (middle + reach) / (1 + square / asked))
