"""The caching allocator's rules, each by what it reserves, and what must hold for every trace."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgetlint.probe.allocator import MIB, Allocator, OutOfMemory, least_capacity, replay
from budgetlint.probe.trace import Held, Trace


@pytest.mark.parametrize(
    ("size", "reserved"),
    (
        (1, 2 * MIB),
        (MIB, 2 * MIB),
        (MIB + 1, 20 * MIB),
        (10 * MIB - 512, 20 * MIB),
        (10 * MIB, 10 * MIB),
        (10 * MIB + 1, 12 * MIB),
    ),
)
def test_a_segment_is_as_large_as_the_request_says(size: int, reserved: int) -> None:
    allocator = Allocator()
    allocator.take(size)
    assert allocator.reserved == reserved


def test_small_blocks_share_a_segment() -> None:
    allocator = Allocator()
    for _ in range(4):
        allocator.take(512 * 1024)
    assert allocator.reserved == 2 * MIB


def test_a_large_block_is_split_only_where_more_than_a_mebibyte_is_left() -> None:
    whole, split = Allocator(), Allocator()
    for allocator, size in ((whole, 19 * MIB), (split, 18 * MIB)):
        allocator.give(allocator.take(20 * MIB))
        allocator.take(size)
    assert (whole.allocated, split.allocated) == (20 * MIB, 18 * MIB)


def test_freed_neighbours_merge() -> None:
    allocator = Allocator()
    blocks = [allocator.take(5 * MIB) for _ in range(4)]
    for block in blocks:
        allocator.give(block)
    allocator.take(9 * MIB)
    allocator.take(9 * MIB)
    assert allocator.reserved == 20 * MIB


def test_cached_segments_are_given_back_before_memory_runs_out() -> None:
    allocator = Allocator(100 * MIB)
    allocator.give(allocator.take(60 * MIB))
    allocator.take(80 * MIB)
    assert (allocator.retries, allocator.reserved) == (1, 80 * MIB)
    with pytest.raises(OutOfMemory):
        allocator.take(30 * MIB)


def test_an_expandable_segment_grows_by_what_is_missing() -> None:
    usual, expandable = Allocator(), Allocator(expandable=True)
    for allocator in (usual, expandable):
        allocator.give(allocator.take(100 * MIB))
        allocator.take(110 * MIB)
    assert (usual.reserved, expandable.reserved) == (210 * MIB, 120 * MIB)


def test_pages_in_the_middle_of_an_expandable_segment_are_given_back() -> None:
    allocator = Allocator(100 * MIB, expandable=True)
    first, _kept = allocator.take(60 * MIB), allocator.take(20 * MIB)
    allocator.give(first)
    allocator.take(70 * MIB)
    assert allocator.retries == 1
    assert allocator.reserved <= 100 * MIB


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    sizes = draw(st.lists(st.integers(1, 40 * MIB), min_size=1, max_size=30))
    trace, live = Trace([Held(size, "uint8", (size,), "empty", "activations", "") for size in sizes]), list[int]()
    for number in range(len(sizes)):
        trace.events.append(number + 1)
        live.append(number)
        if draw(st.booleans()):
            trace.events.append(-live.pop(draw(st.integers(0, len(live) - 1))) - 1)
    return trace


@given(traces(), st.booleans())
def test_more_is_reserved_than_allocated_than_asked_for(trace: Trace, expandable: bool) -> None:
    found = replay(trace, expandable=expandable)
    assert trace.highest() <= found.allocated <= found.reserved


@given(traces(), st.booleans())
def test_a_trace_gets_through_with_its_least_capacity(trace: Trace, expandable: bool) -> None:
    least = least_capacity(trace, expandable=expandable)
    assert trace.highest() <= least <= replay(trace, expandable=expandable).reserved
    assert replay(trace, least, expandable=expandable).reserved <= least
