"""How DeepSpeed reduces gradients while the backward makes them: its buckets, what waits outside of them, flat copies, each rank's own.

Sources: deepspeed 0.19.8 runtime/zero/stage_1_and_2.py (0.16.9 and 0.18.2 alike but for what is said) and stage3.py.

Stages 1 and 2: a gradient is copied into the bucket (``reduce_independent_p_g_buckets_and_remove_grads``); one larger than the bucket waits
as it is. A bucket that holds parts of several ranks is copied flat to be reduced (``allreduce_and_scatter``, ``allreduce_bucket``:
``flatten``; one part alone is a view). This rank's gradients then go into ``grads_in_partition``, which has the full size of every tensor
that touches its partition (``copy_grads_in_partition``). Stage 1 without ``overlap_comm`` does all that once the backward is over
(``reduce_gradients``), tensor by tensor from the first on.

Stage 3: the same bucket; reduced by way of a flat copy of all it holds (coalesced_collectives.py ``reduce_scatter_coalesced``: none of a
single tensor that divides).

With an optimizer on the host each gradient's norm is taken as it comes, in fp64 (``set_norm_for_param_grad_in_gpu``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache

from budgetlint.base.record import field, open_record, record, state
from budgetlint.memory.plan import Plan, Zero
from budgetlint.memory.static import split
from budgetlint.memory.zero_tensors import IN, MLP, OUT, parts_of

STILL = "still"
NORM_PART = 250_000_000
"""Elements of which stage 3 takes the norm at a time (stage3.py ``_constant_buffered_norm2``)."""


@record
class HeldGradients:
    """Elements at one moment: ``own``, of the partition; ``waiting``, gradients outside of the bucket; ``copy``, a flat copy; ``wide``, in
    fp64; ``masked``, looked through for overflow."""

    own: int = 0
    waiting: int = 0
    copy: int = 0
    wide: int = 0
    masked: int = 0

    def bytes(self, size: int) -> int:
        return (self.own + self.waiting + self.copy) * size + 8 * self.wide + mask_bytes(size) * self.masked


def mask_bytes(size: int) -> int:
    """``_has_inf_or_nan``: an fp32 copy of what is not, three masks, the last in fp32 (0.16.9 to 0.19.2)."""
    return (4 if size < 4 else 0) + 3 + 4


@open_record
class Layout:
    """The flat order of what trains: where each tensor starts, by unit; the elements of a rank's partition (stages 1 and 2 align to
    two elements a rank: ``nccl_start_alignment_factor``)."""

    units: tuple[tuple[tuple[int, int], ...], ...]
    partition: int
    ranks: int

    def touching(self, rank: int) -> int:
        """Elements of the tensors that touch a rank's partition, each whole."""
        return self.by_rank.get(rank, (0, 0))[0]

    def largest(self, rank: int) -> int:
        """The largest part of a tensor in a rank's partition."""
        return self.by_rank.get(rank, (0, 0))[1]

    @cached_property
    def by_rank(self) -> dict[int, tuple[int, int]]:
        """Both, of every rank that has something."""
        found: dict[int, tuple[int, int]] = {}
        for start, size in self.tensors:
            for rank in range(start // self.partition, (start + size - 1) // self.partition + 1):
                whole, largest = found.get(rank, (0, 0))
                found[rank] = whole + size, max(largest, self.part(start, size, rank))
        return found

    def part(self, start: int, size: int, rank: int) -> int:
        return max(0, min(start + size, (rank + 1) * self.partition) - max(start, rank * self.partition))

    @property
    def tensors(self) -> Iterator[tuple[int, int]]:
        return (tensor for unit in self.units for tensor in unit)


@lru_cache(maxsize=256)
def layout(units: tuple[tuple[int, ...], ...], ranks: int) -> Layout:
    at, found = 0, []
    for unit in units:
        starts = []
        for size in unit:
            starts.append((at, size))
            at += size
        found.append(tuple(starts))
    return Layout(tuple(found), split(at, 2 * ranks) * 2, ranks)


def candidates(order: Layout) -> tuple[int, ...]:
    """Ranks that can be the worst: the first (with the embedding), the one whose partition touches the most, the last."""
    found = order.by_rank
    return tuple(dict.fromkeys((0, max(found, key=lambda rank: found[rank][0], default=0), max(found, default=0))))


@state
class Partitioned:
    """Stages 1 and 2 on one rank."""

    order: Layout
    rank: int
    zero: Zero
    stage: int
    offload: bool
    own: int = 0
    waiting: int = 0
    elements: int = 0
    bucket: list[tuple[int, int]] = field(default_factory=list)

    def add(self, start: int, size: int, fresh: int = 1, *, there: bool = False) -> Iterator[HeldGradients]:
        """A gradient comes, with ``fresh`` copies of it at first (none: the backward is over); ``there``: among what waits already."""
        if fresh:
            yield HeldGradients(self.own, self.waiting + fresh * size)
        if not there:
            self.waiting += size
        if self.bucket and self.elements + size > self.zero.reduce_bucket:
            yield from self.reduce()
        self.bucket.append((start, size))
        self.elements += size
        if self.zero.contiguous and size <= self.zero.reduce_bucket:
            self.waiting -= size

    def reduce(self) -> Iterator[HeldGradients]:
        yield HeldGradients(self.own, self.waiting, self._copied())
        mine = [self.order.part(start, size, self.rank) for start, size in self.bucket]
        if any(mine) and not self.offload:
            if self.zero.contiguous:
                self.own = self.own or self.order.touching(self.rank)
            else:
                self.own += sum(size for (_, size), part in zip(self.bucket, mine, strict=True) if part)
        yield HeldGradients(self.own, self.waiting, 0, max(mine, default=0) if self.offload else 0)
        if self.offload and self.zero.masks:
            yield HeldGradients(
                self.own, self.waiting, masked=max((size for (_, size), part in zip(self.bucket, mine, strict=True) if part), default=0)
            )
        for start, size in self.bucket:
            leaves = self.stage == 2 or self.order.part(start, size, self.rank)
            if leaves and (size > self.zero.reduce_bucket or not self.zero.contiguous):
                self.waiting -= size
        self.bucket.clear()
        self.elements = 0

    def _copied(self) -> int:
        """Parts of the bucket next to each other that belong to one rank are one; several are copied flat, as many as fill a bucket."""
        if not self.zero.contiguous:
            return self.elements if len(self.bucket) > 1 else 0
        parts: list[tuple[int, int]] = []
        for start, size in self.bucket:
            while size > 0:
                rank = start // self.order.partition
                part = min(size, (rank + 1) * self.order.partition - start)
                if parts and parts[-1][0] == rank:
                    parts[-1] = (rank, parts[-1][1] + part)
                else:
                    parts.append((rank, part))
                start, size = start + part, size - part
        most = group = count = 0
        for _, part in parts:
            group, count = group + part, count + 1
            if count > 1:
                most = max(most, group)
            if group > self.zero.reduce_bucket:
                group = count = 0
        return most


@state
class Scattered:
    """Stage 3."""

    ranks: int
    zero: Zero
    offload: bool
    waiting: int = 0
    elements: int = 0
    count: int = 0
    largest: int = 0

    def add(self, size: int, fresh: int = 1) -> Iterator[HeldGradients]:
        yield HeldGradients(waiting=self.waiting + fresh * size)
        self.waiting += size
        if self.elements and self.elements + size > self.zero.reduce_bucket:
            yield from self.reduce()
        if self.elements + size <= self.zero.reduce_bucket and self.zero.contiguous:
            self.waiting -= size
        self.elements += size
        self.count += 1
        self.largest = max(self.largest, size)

    def reduce(self) -> Iterator[HeldGradients]:
        alone = self.count == 1 and self.elements % self.ranks == 0
        wide = min(split(self.largest, self.ranks), NORM_PART) if self.offload else 0
        yield HeldGradients(waiting=self.waiting, copy=0 if alone else self.elements, wide=wide)
        if self.elements > self.zero.reduce_bucket or not self.zero.contiguous:
            self.waiting -= self.elements
        self.elements = self.count = self.largest = 0


@record
class OfLayer:
    """The most while a layer runs backward: ``still``, between its gradients; as each of its parts' gradients come."""

    still: HeldGradients = HeldGradients()
    mlp: HeldGradients = HeldGradients()
    out: HeldGradients = HeldGradients()
    into: HeldGradients = HeldGradients()


@record
class Reduced:
    """The most at each place of a backward: at the head, at the norm before it, in each layer, at the tables; and once it is over."""

    head: HeldGradients
    end: HeldGradients
    layers: tuple[OfLayer, ...]
    front: HeldGradients
    after: HeldGradients


def reduced(plan: Plan, units: tuple[tuple[int, ...], ...], size: int) -> Reduced:
    sharding = plan.sharding
    order = layout(units, sharding.states_over)
    tied = plan.full and not plan.shape.head and plan.makes_logits and plan.shape.embed
    backward = Backward(
        1 if sharding.kind == "zero1" else 2,
        sharding.rank or 0,
        sharding.offload_optimizer,
        int(tied),
        plan.accum > 1,
        size,
        parts_of(plan),
    )
    return _reduced(order, sharding.zero, backward)


@record
class Backward:
    """Of which stage and rank; elements of a tied table; whether earlier micro batches left gradients; bytes of an element; the part of its
    layer that each tensor is of (nothing: the MLP)."""

    stage: int
    rank: int
    offload: bool
    tied: int
    carries: bool
    size: int
    parts: tuple[tuple[str, ...], ...]

    def part(self, unit: int, index: int) -> str:
        own = self.parts[unit] if self.parts else ()
        return own[index] if index < len(own) else MLP


@lru_cache(maxsize=128)
def _reduced(order: Layout, zero: Zero, way: Backward) -> Reduced:
    late, last = way.stage == 1 and not zero.overlap, len(order.units) - 1
    whole = sum(count for _, count in order.tensors)
    walk = Partitioned(order, way.rank, zero, way.stage, way.offload)
    there = way.carries and way.stage == 1  # the gradients of earlier micro batches, to which these are added
    walk.waiting = whole if there else 0
    before = order.touching(way.rank) if way.carries and way.stage == 2 and not way.offload else 0
    most: dict[tuple[int, str], HeldGradients] = {}

    def note(place: int, part: str, found: Iterable[HeldGradients]) -> None:
        for one in found:
            if one.bytes(way.size) > most.get((place, part), HeldGradients()).bytes(way.size):
                most[place, part] = one

    for place in range(last, -1, -1):
        walk.waiting += way.tied if place == last else 0
        note(place, MLP, [HeldGradients(walk.own, walk.waiting)])
        for index, (start, count) in reversed(list(enumerate(order.units[place]))):
            shared = way.tied if place == index == 0 else 0
            walk.waiting -= shared
            fresh = 3 if shared else 1  # the head's, the lookup's and their sum
            if late:
                note(place, way.part(place, index), [HeldGradients(0, walk.waiting + fresh * count)])
                walk.waiting += 0 if there else count
            else:
                note(place, way.part(place, index), walk.add(start, count, fresh, there=there))
            note(place, STILL, [HeldGradients(walk.own, walk.waiting)])
    after = [one for start, count in order.tensors for one in walk.add(start, count, 0, there=True)] if late else []
    note(-1, MLP, (*after, *walk.reduce()))

    def at(place: int, part: str = MLP) -> HeldGradients:
        one = most.get((place, part), HeldGradients())
        return HeldGradients(one.own + before, one.waiting, one.copy, one.wide, one.masked)

    layers = [OfLayer(at(place, STILL), at(place), at(place, OUT), at(place, IN)) for place in range(1, last - 1)]
    return Reduced(at(last), at(last - 1), tuple(layers), at(0), at(-1))
