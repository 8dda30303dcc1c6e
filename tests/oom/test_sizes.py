"""Printed amounts and the tensors behind them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgetlint.base.units import GIB, MIB
from budgetlint.oom.sizes import MIDDLE_SEGMENT, SMALL, SMALL_SEGMENT, STEP, quoted, tensors_behind


def printed(size: int) -> tuple[str, str]:
    """``format_size`` of c10/cuda/CUDACachingAllocator.cpp, above 1 MiB."""
    return (f"{size / MIB:.2f}", "MiB") if size <= GIB else (f"{size / GIB:.2f}", "GiB")


def segment(size: int) -> int:
    """What the allocator asks the driver for when a tensor of ``size`` bytes fits in none of its blocks."""
    if size <= SMALL:
        return SMALL_SEGMENT
    return MIDDLE_SEGMENT if size < 10 * MIB else -(-size // STEP) * STEP


@pytest.mark.parametrize(
    ("size", "asked"),
    [(1, 2 * MIB), (MIB, 2 * MIB), (MIB + 1, 20 * MIB), (10 * MIB - 1, 20 * MIB), (10 * MIB, 10 * MIB), (10 * MIB + 1, 12 * MIB)],
)
def test_what_the_driver_is_asked_for(size: int, asked: int) -> None:
    assert segment(size) == asked


@given(st.integers(1, 400 * GIB))
def test_the_tensor_is_among_those_behind_its_message(size: int) -> None:
    assert size in tensors_behind(quoted(*printed(segment(size))))


@given(st.integers(10 * MIB, 400 * GIB))
def test_not_many_others_are(size: int) -> None:
    span = tensors_behind(quoted(*printed(segment(size))))
    assert span.high - span.low <= (14 * MIB if size > GIB - 2 * MIB else 20 * MIB)


@pytest.mark.parametrize(
    ("number", "unit", "low", "high"),
    [
        ("4.64", "GiB", 4_976_793_355, 4_987_530_772),
        ("2.00", "MiB", 2_091_910, 2_102_394),
        ("17179869", "bytes", 17_179_869, 17_179_869),
        ("14.9", "GiB", 15_945_066_087, 16_052_440_268),
    ],
)
def test_a_printed_amount_is_a_range(number: str, unit: str, low: int, high: int) -> None:
    amount = quoted(number, unit)
    assert (amount.low, amount.high) == (low, high)


@pytest.mark.parametrize(("text", "vague"), [("2.00", True), ("20.00", True), ("22.00", False), ("512.00", False)])
def test_small_requests_tell_nothing_of_their_size(text: str, vague: bool) -> None:
    assert tensors_behind(quoted(text, "MiB")).vague is vague
