"""Sizes as the caching allocator asks for them and as its message prints them.

torch 2.13 c10/cuda/CUDACachingAllocator.cpp: the message prints ``alloc_size``, which ``get_allocation_size`` makes of the tensor's
bytes: 2 MiB for up to 1 MiB, 20 MiB for less than 10 MiB, else the next multiple of 2 MiB. ``format_size`` prints two decimals, in
GiB only above 1 GiB. The same in torch_npu and for XPU.
"""

from __future__ import annotations

from fractions import Fraction

from budgetlint.base.record import record
from budgetlint.base.units import GIB, KIB, MIB

SMALL: int = MIB
SMALL_SEGMENT: int = 2 * MIB
MIDDLE_SEGMENT: int = 20 * MIB
STEP: int = 2 * MIB

_UNITS: dict[str, int] = {"bytes": 1, "kib": KIB, "kb": KIB, "mib": MIB, "mb": MIB, "gib": GIB, "gb": GIB, "tib": 1024 * GIB}
"""``MB`` and ``GB`` in old messages are powers of 1024 (torch 1.0 printed them so)."""

AMOUNT = r"([0-9]{1,25}(?:\.[0-9]{1,25})?)\s?(bytes|[KMGT]i?B)"


@record
class Quoted:
    """An amount as a message prints it. ``low`` to ``high``: the bytes that print so."""

    text: str
    bytes: int
    low: int
    high: int


@record
class SizeRange:
    """The tensors, in bytes, whose allocation prints as a quoted amount."""

    low: int
    high: int

    def __contains__(self, size: int) -> bool:
        return self.low <= size <= self.high

    @property
    def vague(self) -> bool:
        """Any small tensor asks for this much: its size says nothing."""
        return self.low <= SMALL + 1


def quoted(number: str, unit: str) -> Quoted:
    """``4.64`` ``GiB``: two decimals stand for half a hundredth either way."""
    size = _UNITS[unit.lower()]
    digits = len(number.partition(".")[2])
    exact, half = Fraction(number) * size, Fraction(size, 2 * 10**digits)
    spread = half if size > 1 else Fraction(0)
    return Quoted(f"{number} {unit}", int(exact), -((spread - exact) // 1), int(exact + spread))


def tensors_behind(amount: Quoted) -> SizeRange:
    """From which tensors the allocator's request comes."""
    if amount.low <= SMALL_SEGMENT <= amount.high:
        return SizeRange(1, SMALL)
    if amount.low <= MIDDLE_SEGMENT <= amount.high:
        return SizeRange(SMALL + 1, MIDDLE_SEGMENT)
    first, last = -(-amount.low // STEP) * STEP, amount.high // STEP * STEP
    if first > last:  # not a segment: some other allocator's figure
        return SizeRange(amount.low, amount.high)
    return SizeRange(first - STEP + 1, last)
