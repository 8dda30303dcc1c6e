"""How a run stands whose length is only a limit (`row_length`): with short rows, and up to which length it fits."""

from __future__ import annotations

from budgetlint.base.record import record, replace
from budgetlint.memory.estimate import Verdict
from budgetlint.memory.peak import Sums
from budgetlint.memory.planner import Planned
from budgetlint.memory.row_length import short_of, with_rows
from budgetlint.memory.standing import Capacity, standing

STEPS = 64
"""So finely the longest rows that fit are looked for: parts of the limit."""


@record
class ShortRows:
    """``tokens``: the length of the short rows, ``planned`` the run with them. ``fitting``: the longest rows with which the run fits, high
    end and headroom included, where it does with short ones."""

    limit: int
    tokens: int
    planned: Planned
    verdict: Verdict
    fitting: int | None

    @property
    def may_do(self) -> bool:
        """Short rows are not known to be too large: what is wrong with the run at its limit the data decides."""
        return self.verdict is not Verdict.DOES_NOT_FIT

    @property
    def words(self) -> str:
        """``where a row reaches 4,096 tokens; rows of up to 1,536 tokens fit``: of every verdict that hangs on the data."""
        fits = f"rows of up to {self.fitting:,} tokens fit" if self.fitting else f"rows of {self.tokens:,} tokens may fit"
        return f"where a row reaches {self.limit:,} tokens; {fits}"


def short_rows(planned: Planned, capacity: Capacity | None) -> ShortRows | None:
    """None where every batch is filled, or no length is known. Without a device there is no verdict."""
    limit = max((plan.seq for plan in planned.plans if plan.seq_is_limit and plan.seq), default=None)
    if limit is None:
        return None
    sums, tokens = Sums(), short_of(limit)
    short = cut(planned, tokens)
    verdict = Verdict.UNKNOWN if capacity is None else standing(short, capacity, sums).verdict
    fitting = _longest(planned, capacity, sums, tokens, limit) if verdict is Verdict.FITS and capacity is not None else None
    return ShortRows(limit, tokens, short, verdict, fitting)


def cut(planned: Planned, tokens: int) -> Planned:
    return replace(planned, plans=tuple(with_rows(plan, tokens) for plan in planned.plans))


def _longest(planned: Planned, capacity: Capacity, sums: Sums, fits: int, limit: int) -> int:
    """By halves; the need grows with the length."""
    step = max(1, 1 << max(0, (limit // STEPS).bit_length() - 1))
    low, high = 0, (limit - 1) // step
    while low < high:
        middle = (low + high + 1) // 2
        verdict = standing(cut(planned, middle * step), capacity, sums).verdict
        low, high = (middle, high) if verdict is Verdict.FITS else (low, middle - 1)
    return max(fits, low * step)
