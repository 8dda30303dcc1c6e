"""What lies above the allocated peak, and the verdict: shares of a peak of 10^9 bytes, and of GiB."""

from __future__ import annotations

from dataclasses import replace

import pytest

from budgetlint.base.units import GIB
from budgetlint.catalog.device import Device
from budgetlint.catalog.devices import find_device
from budgetlint.memory.estimate import Range, Verdict
from budgetlint.memory.need import NOTHING, is_shared, totals, verdict

BILLION = Range(1_000_000_000, 1_000_000_000, 1_000_000_000)
OUTSIDE = Range(int(0.5 * GIB), int(0.13 * GIB), int(1.0 * GIB))
"""The context of a card that is not known (`catalog/context.py`)."""


def device(name: str) -> Device:
    found = find_device(name)
    assert isinstance(found, Device)
    return found


def less(found: Range, part: Range) -> Range:
    assert found.high is not None and part.high is not None
    return Range(found.bytes - part.bytes, found.low - part.low, found.high - part.high)


def test_fragmentation_and_the_pool_are_shares_of_the_peak() -> None:
    """0.2, 3 and 8 % that cannot be given back; a pool of 0.3, 10 and 27 % more than is allocated."""
    found = totals(BILLION, None, ranks=1)
    assert found.context == OUTSIDE
    assert found.fragmentation == Range(30_000_000, 2_000_000, 80_000_000)
    assert less(found.need, OUTSIDE) == Range(1_030_000_000, 1_002_000_000, 1_080_000_000)
    assert found.reserved == Range(1_100_000_000, 1_003_000_000, 1_270_000_000)
    assert less(found.device_total, OUTSIDE) == found.reserved


@pytest.mark.parametrize(("ranks", "communicates"), [(1, False), (2, True), (8, True)])
def test_ranks_have_communicators(ranks: int, communicates: bool) -> None:
    """0.3, 0.8 and 2 GiB."""
    expected = Range(int(0.8 * GIB), int(0.3 * GIB), 2 * GIB) if communicates else Range(0, 0, 0)
    found = totals(BILLION, None, ranks=ranks)
    assert found.communication == expected
    assert less(less(found.need, OUTSIDE), expected) == Range(1_030_000_000, 1_002_000_000, 1_080_000_000)


@pytest.mark.parametrize(
    ("peak", "aside", "fragmentation"),
    [
        (BILLION, 600_000_000, Range(12_000_000, 800_000, 32_000_000)),  # of 400 million
        (Range(1_000_000_000, 500_000_000, 2_000_000_000), 600_000_000, Range(12_000_000, 0, 112_000_000)),
        (BILLION, 2_000_000_000, Range(0, 0, 0)),
        (Range(1_000_000_000, 1_000_000_000, None), 0, Range(30_000_000, 2_000_000, None)),
    ],
)
def test_what_an_engine_took_does_not_fragment(peak: Range, aside: int, fragmentation: Range) -> None:
    found = totals(peak, None, ranks=1, set_aside=aside)
    assert found.fragmentation == fragmentation
    assert (found.need.high is None) is (peak.high is None)


@pytest.mark.parametrize(
    ("gone", "pool"),
    [(1_000_000_000, 0), (999_999_900, 10)],  # a tenth of what is left
)
def test_nothing_is_left_of_what_is_set_aside(gone: int, pool: int) -> None:
    found = totals(BILLION, None, ranks=1, set_aside=gone)
    assert found.reserved.bytes == 1_000_000_000 + pool


HOST = Range(7 * GIB, 6 * GIB, 8 * GIB)


def test_offloading_frees_nothing_where_the_host_is_the_device() -> None:
    """The process takes 0.5, 1.5 and 5 GiB of the same memory."""
    found = totals(BILLION, replace(device("h100-80gb"), unified=True), ranks=1, host=HOST)
    assert found.host == HOST
    assert found.process == Range(int(1.5 * GIB), int(0.5 * GIB), 5 * GIB)
    outside = found.context.plus(found.process).plus(HOST)
    assert less(found.need, outside) == Range(1_030_000_000, 1_002_000_000, 1_080_000_000)


def test_a_cards_host_is_another_memory() -> None:
    found = totals(BILLION, device("h100-80gb"), ranks=1, host=HOST)
    assert (found.host, found.process) == (NOTHING, NOTHING) == (Range(0, 0, 0), Range(0, 0, 0))
    assert less(found.need, found.context) == Range(1_030_000_000, 1_002_000_000, 1_080_000_000)


@pytest.mark.parametrize(("unified", "kind", "shared"), [(False, "gpu", False), (True, "gpu", True), (False, "cpu", True)])
def test_whose_memory_is_shared(unified: bool, kind: str, shared: bool) -> None:
    assert is_shared(replace(device("h100-80gb"), unified=unified, kind=kind)) is shared
    assert not is_shared(None)


SMALL, LARGE = 10 * GIB, 80 * GIB


@pytest.mark.parametrize(
    ("low", "high", "usable", "reserve", "expected"),
    [
        # more than the most that the device was seen to give
        (SMALL + 2, SMALL + 2, (SMALL, SMALL + 1), None, Verdict.DOES_NOT_FIT),
        (SMALL + 1, SMALL + 1, (SMALL, SMALL + 1), None, Verdict.TIGHT),
        # a tenth of a small card is free, two GiB of a large one
        (0, SMALL - SMALL // 10, (SMALL, SMALL), None, Verdict.FITS),
        (0, SMALL - SMALL // 10 + 1, (SMALL, SMALL), None, Verdict.TIGHT),
        (0, LARGE - 2 * GIB, (LARGE, LARGE), None, Verdict.FITS),
        (0, LARGE - 2 * GIB + 1, (LARGE, LARGE), None, Verdict.TIGHT),
        # the least that the device was seen to give counts
        (0, SMALL, (SMALL, LARGE), None, Verdict.TIGHT),
        # a stated reserve takes the headroom's place, also none at all
        (0, LARGE - GIB, (LARGE, LARGE), GIB, Verdict.FITS),
        (0, LARGE - GIB + 1, (LARGE, LARGE), GIB, Verdict.TIGHT),
        (0, LARGE, (LARGE, LARGE), 0, Verdict.FITS),
        (0, None, (LARGE, LARGE), None, Verdict.UNKNOWN),
    ],
)
def test_the_verdict(low: int, high: int | None, usable: tuple[int, int], reserve: int | None, expected: Verdict) -> None:
    assert verdict(Range(low, low, high), usable, reserve, judged=True) is expected


def test_while_something_is_missing_only_a_low_end_that_is_too_large_answers() -> None:
    assert verdict(Range(0, 0, 1), (LARGE, LARGE), None, judged=False) is Verdict.UNKNOWN
    assert verdict(Range(0, LARGE + 1, None), (LARGE, LARGE), None, judged=False) is Verdict.DOES_NOT_FIT
