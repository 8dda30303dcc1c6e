"""What CUDA's caching allocator would reserve for a trace: a simulation of its rules, without a device.

Rules: torch 2.13 c10/cuda/CUDACachingAllocator.cpp and c10/core/AllocatorConfig.h. Sizes are multiples of 512 B. Up to 1 MiB comes from
segments of 2 MiB; up to 10 MiB from segments of 20 MiB; more from a segment of its own, a multiple of 2 MiB. The best fit wins, and is
split where 512 B (small), or more than 1 MiB (large), would be left. Freed neighbours merge. Where the device has no more, whole free
segments are given back and it is tried once more. With ``expandable_segments`` each pool is one segment that grows by pages.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from budgetlint.probe.trace import Trace

MIB = 1 << 20
SMALL, SMALL_SEGMENT = MIB, 2 * MIB
LARGE_SEGMENT, LARGE_ALONE = 20 * MIB, 10 * MIB
ROUND_LARGE = 2 * MIB
BLOCK = 512


class OutOfMemory(Exception):
    """No segment of this size fits, even after everything cached was given back."""


@dataclass(slots=True, eq=False)
class Block:
    """A piece of a segment. ``before`` and ``after`` are its neighbours in the same segment."""

    start: int
    size: int
    small: bool
    free: bool = False
    before: Block | None = None
    after: Block | None = None


@dataclass(frozen=True)
class Reserved:
    """Bytes at most reserved and at most in blocks, and how often cached segments had to be given back."""

    reserved: int
    allocated: int
    retries: int


class Allocator:
    """One device. ``capacity``: bytes that it has for segments, None for no end."""

    def __init__(self, capacity: int | None = None, *, expandable: bool = False) -> None:
        self.capacity, self.expandable = capacity, expandable
        self.reserved = self.most_reserved = self.allocated = self.most_allocated = self.retries = 0
        self._free: dict[bool, list[tuple[int, int, Block]]] = {True: [], False: []}
        self._end = 0
        self._tails: dict[bool, Block | None] = {True: None, False: None}

    def take(self, size: int) -> Block:
        """Raises `OutOfMemory`."""
        size = max(BLOCK, -(-size // BLOCK) * BLOCK)
        block = self._best(size) or self._segment(size)
        self._split(block, size)
        block.free = False
        self.allocated += block.size
        self.most_allocated = max(self.most_allocated, self.allocated)
        return block

    def give(self, block: Block) -> None:
        self.allocated -= block.size
        block.free = True
        for other in (block.before, block.after):
            if other is not None and other.free and _touch(block, other):
                self._out(other)
                self._merge(block, other)
        insort(self._free[block.small], (block.size, block.start, block))

    # -- blocks ------------------------------------------------------------------------------------------------------------

    def _best(self, size: int) -> Block | None:
        pool = self._free[size <= SMALL]
        at = bisect_left(pool, (size, -1))
        return pool.pop(at)[2] if at < len(pool) else None

    def _split(self, block: Block, size: int) -> None:
        rest = block.size - size
        if rest < BLOCK or (not block.small and not self.expandable and rest <= SMALL):
            return
        new = Block(block.start + size, rest, block.small, True, block, block.after)
        if block.after is not None:
            block.after.before = new
        block.after, block.size = new, size
        if self._tails[block.small] is block:
            self._tails[block.small] = new
        insort(self._free[block.small], (new.size, new.start, new))

    def _merge(self, block: Block, other: Block) -> None:
        if other is block.before:
            block.start, block.before = other.start, other.before
            if other.before is not None:
                other.before.after = block
        else:
            block.after = other.after
            if other.after is not None:
                other.after.before = block
        block.size += other.size
        if self._tails[block.small] is other:
            self._tails[block.small] = block

    def _out(self, block: Block) -> None:
        pool = self._free[block.small]
        pool.pop(bisect_left(pool, (block.size, block.start)))

    # -- segments ----------------------------------------------------------------------------------------------------------

    def _segment(self, size: int) -> Block:
        return self._grown(size) if self.expandable else self._new(size)

    def _new(self, size: int) -> Block:
        small = size <= SMALL
        wanted = SMALL_SEGMENT if small else LARGE_SEGMENT if size < LARGE_ALONE else -(-size // ROUND_LARGE) * ROUND_LARGE
        self._reserve(wanted)
        block = Block(self._end, wanted, small, True)
        self._end += wanted + ROUND_LARGE  # segments do not touch
        return block

    def _grown(self, size: int) -> Block:
        """More pages at the end of the pool's segment, where a free block may lie already."""
        small = size <= SMALL
        if not self._room(self._missing(size)):
            self._give_back()
        more = self._missing(size)
        self._reserve(more)
        tail = self._tails[small]
        if tail is not None and tail.free:
            self._out(tail)
            tail.size += more
            return tail
        block = Block(_base(small) if tail is None else tail.start + tail.size, more, small, True, tail)
        if tail is not None:
            tail.after = block
        self._tails[small] = block
        return block

    def _missing(self, size: int) -> int:
        """Bytes of the pages that the pool's segment lacks."""
        small = size <= SMALL
        page, tail = _page(small), self._tails[small]
        usable = tail.size if tail is not None and tail.free else 0
        return -(-(size - usable) // page) * page

    def _room(self, size: int) -> bool:
        return self.capacity is None or self.reserved + size <= self.capacity

    def _give_back(self) -> None:
        self.retries += 1
        self._release()

    def _reserve(self, size: int) -> None:
        if not self._room(size) and not self.expandable:
            self._give_back()
        if not self._room(size):
            raise OutOfMemory(size)
        self.reserved += size
        self.most_reserved = max(self.most_reserved, self.reserved)

    def _release(self) -> None:
        for pool in self._free.values():
            for _, _, block in list(pool):
                self._unmap(block) if self.expandable else self._drop(block)

    def _drop(self, block: Block) -> None:
        """A segment that is one free block."""
        if block.before is None and block.after is None:
            self._out(block)
            self.reserved -= block.size

    def _unmap(self, block: Block) -> None:
        """Whole pages inside a free block of an expandable segment; what is left of it stays in two parts."""
        page = _page(block.small)
        first, last = -(-block.start // page) * page, (block.start + block.size) // page * page
        if last <= first:
            return
        self._out(block)
        self.reserved -= last - first
        left, right = first - block.start, block.start + block.size - last
        parts = [Block(start, size, block.small, True) for start, size in ((block.start, left), (last, right)) if size]
        self._relink(block, parts)
        for part in parts:
            insort(self._free[part.small], (part.size, part.start, part))

    def _relink(self, block: Block, parts: list[Block]) -> None:
        chain = [block.before, *parts, block.after]
        for one, two in pairwise(chain):
            if one is not None:
                one.after = two
            if two is not None:
                two.before = one
        if self._tails[block.small] is block:
            self._tails[block.small] = parts[-1] if parts else block.before


def _page(small: bool) -> int:
    return SMALL_SEGMENT if small else LARGE_SEGMENT


def _base(small: bool) -> int:
    """Where a pool's segment begins: far from the other's."""
    return 0 if small else LARGE_SEGMENT << 40


def _touch(one: Block, two: Block) -> bool:
    """No unmapped pages lie between them."""
    return one.start + one.size == two.start or two.start + two.size == one.start


def replay(trace: Trace, capacity: int | None = None, *, expandable: bool = False) -> Reserved:
    """The whole trace on one allocator. Raises `OutOfMemory`."""
    allocator = Allocator(capacity, expandable=expandable)
    blocks: dict[int, Block] = {}
    for number, made in _events(trace):
        if made:
            blocks[number] = allocator.take(trace.held[number].bytes)
        else:
            allocator.give(blocks.pop(number))
    return Reserved(allocator.most_reserved, allocator.most_allocated, allocator.retries)


def _events(trace: Trace) -> Iterator[tuple[int, bool]]:
    for event in trace.events:
        yield (event - 1, True) if event > 0 else (-event - 1, False)


def least_capacity(trace: Trace, *, expandable: bool = False, parts: int = 256) -> int:
    """The smallest device that survives the trace, to one part in ``parts`` of the allocated peak: that decides whether a run fits,
    not what it reserves where there is room."""
    high = replay(trace, expandable=expandable).reserved
    low, step = trace.highest(), max(1, trace.highest() // parts)
    while high - low > step:
        middle = (low + high) // 2
        try:
            high = min(middle, replay(trace, middle, expandable=expandable).reserved)
        except OutOfMemory:
            low = middle
    return high
