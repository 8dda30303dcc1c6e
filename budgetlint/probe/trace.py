"""What a step allocated and freed, in order, and what was live at the highest moment of each phase. No torch here.

Sizes are what the caching allocator counts: multiples of 512 bytes (torch c10/core/AllocatorConfig.h ``kMinBlockSize``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

ROUND = 512

WEIGHTS, GRADIENTS, OPTIMIZER, ACTIVATIONS, LOGITS, BUFFERS = "weights", "gradients", "optimizer", "activations", "logits", "buffers"
BUCKETS = (WEIGHTS, GRADIENTS, OPTIMIZER, ACTIVATIONS, LOGITS, BUFFERS)


@dataclass(slots=True)
class Held:
    """One storage: what made it, in which phase, whose it is. ``made_of`` are the storages of equal size that it was made from
    or added to, ``layer`` the part of the model that it belongs to."""

    bytes: int
    dtype: str
    shape: tuple[int, ...]
    op: str
    bucket: str
    phase: str
    layer: int | None = None
    made_of: tuple[int, ...] = ()


Key = tuple[str, str, tuple[int, ...], str]
"""Bucket, dtype, shape, operation: storages that are alike."""


@dataclass(frozen=True)
class TracedPeak:
    """The highest moment of a phase: bytes, and how many storages of each kind were live, with the bytes of one."""

    bytes: int
    live: Mapping[Key, int]
    sizes: Mapping[Key, int]


@dataclass
class Trace:
    """``events``: number + 1 of a storage that was made, the same negated when it was freed; ``where``: the layer that
    ran then; ``marks``: (events before, phase)."""

    held: list[Held] = field(default_factory=list)
    events: list[int] = field(default_factory=list)
    where: list[int | None] = field(default_factory=list)
    marks: list[tuple[int, str]] = field(default_factory=list)
    unit: int = ROUND

    def size(self, index: int) -> int:
        unit = self.unit
        return (self.held[index].bytes + unit - 1) // unit * unit

    def mark(self, phase: str) -> None:
        self.marks.append((len(self.events), phase))

    def peaks(self) -> dict[str, TracedPeak]:
        """The highest moment of each phase, the last pass of it where it runs more than once (the second step: optimizer states are
        there). What is live when a phase begins counts."""
        tops = dict(self._tops())
        return dict(zip(tops, self._live_at([at for at, _ in tops.values()]), strict=True))

    def highest(self) -> int:
        """Bytes at the highest moment of all."""
        live = top = 0
        for event in self.events:
            live += self._change(event)
            top = max(top, live)
        return top

    def _tops(self) -> Iterator[tuple[str, tuple[int, int]]]:
        """For each pass of a phase: the number of events before its highest moment, and the bytes then."""
        ends = [at for at, _ in self.marks[1:]] + [len(self.events)]
        live, done = 0, 0
        for (start, phase), end in zip(self.marks, ends, strict=True):
            while done < start:
                live += self._change(self.events[done])
                done += 1
            best, at = live, done
            while done < end:
                live += self._change(self.events[done])
                done += 1
                if live > best:
                    best, at = live, done
            yield phase, (at, best)

    def _change(self, event: int) -> int:
        return self.size(event - 1) if event > 0 else -self.size(-event - 1)

    def _live_at(self, moments: list[int]) -> Iterator[TracedPeak]:
        found: dict[int, TracedPeak] = {}
        live: set[int] = set()
        done = 0
        for moment in sorted(set(moments)):
            for event in self.events[done:moment]:
                live.add(event - 1) if event > 0 else live.discard(-event - 1)
            done = moment
            found[moment] = self._peak(live)
        return (found[moment] for moment in moments)

    def _peak(self, live: set[int]) -> TracedPeak:
        counts: Counter[Key] = Counter()
        sizes: dict[Key, int] = {}
        for index in live:
            held = self.held[index]
            key = (held.bucket, held.dtype, held.shape, held.op)
            counts[key] += 1
            sizes[key] = self.size(index)
        return TracedPeak(sum(sizes[key] * count for key, count in counts.items()), counts, sizes)
