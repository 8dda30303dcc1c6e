"""ZeRO-3's gathered parameters, module by module as DeepSpeed's coordinator gathers, prefetches and releases them.

Source: deepspeed 0.19.8 runtime/zero/partitioned_param_coordinator.py (0.16.9 and 0.18.2 do the same). ``fetch_sub_module`` gathers what a
module needs, waits for it, then prefetches: until ``prefetch_bucket_size`` elements are under way or ``max_live_parameters`` are there, the
last tensor may go over. ``__params_to_release`` keeps what is used again within ``max_reuse_distance`` elements, or was passed by the
prefetch. Tensors up to ``param_persistence_threshold`` elements stay whole (partition_parameters.py ``ds_persist``).

Several tensors are gathered into one flat buffer (partition_parameters.py ``_all_gather_dtype``) and copied out of it when the first of
them is needed (``AllGatherCoalescedHandle.wait``: ``torch.cat``); the buffer goes with the handle, when the last of them is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate

from budgetlint.base.record import record, state
from budgetlint.catalog.architecture import Architecture
from budgetlint.memory.plan import Plan, Zero
from budgetlint.memory.zero_reduce import STILL, HeldGradients, Scattered
from budgetlint.memory.zero_tensors import IN, MLP, OUT, READS_THE_INPUT, Unit, part_of, units_of


@record
class LiveParameters:
    """Elements at one moment: parameters gathered or on their way, flat buffers that have been copied out of, and what gradients take."""

    parameters: int = 0
    buffers: int = 0
    gradients: HeldGradients = HeldGradients()

    def bytes(self, size: int, gradient: int) -> int:
        return (self.parameters + self.buffers) * size + self.gradients.bytes(gradient)


@record
class LiveLayer:
    """`zero_reduce.OfLayer`, with parameters."""

    still: LiveParameters = LiveParameters()
    mlp: LiveParameters = LiveParameters()
    out: LiveParameters = LiveParameters()
    into: LiveParameters = LiveParameters()


@record
class Course:
    """The most at each place. ``passing``: while each layer runs forward; ``gather``: while the last layer and the head are gathered;
    ``logits``: behind the head; ``head``, ``end``, ``layers``, ``front``: while each runs backward; ``after``: when that is over."""

    passing: tuple[LiveParameters, ...]
    gather: LiveParameters
    logits: LiveParameters
    head: LiveParameters
    end: LiveParameters
    layers: tuple[LiveLayer, ...]
    front: LiveParameters
    after: LiveParameters


def course(plan: Plan, units_that_train: tuple[tuple[int, ...], ...], gradient: int) -> Course:
    arch, sharding = plan.shape.arch, plan.sharding
    part = plan.shape.total / max(sum(count for unit in units_of(arch) for one in unit.modules for count in one.tensors), 1)
    tied = not plan.shape.head and plan.makes_logits
    through = plan.full or plan.recompute.on  # PEFT has the embeddings' output require a gradient for checkpoints
    trip = Trip(arch, units_that_train, tied, plan.recompute.on, through, plan.full, round(part, 6))
    return _course(trip, sharding.zero, sharding.params_over, sharding.offload_optimizer, plan.precision.compute, gradient)


@record
class Trip:
    """What the coordinator's order follows; ``through``: the backward reaches the tables; ``part``: of each tensor on this rank."""

    arch: Architecture
    trained: tuple[tuple[int, ...], ...]
    tied: bool
    recompute: bool
    through: bool
    full: bool
    part: float

    @property
    def units(self) -> tuple[Unit, ...]:
        return units_of(self.arch)


@lru_cache(maxsize=64)
def _course(trip: Trip, zero: Zero, ranks: int, offload: bool, size: int, gradient: int) -> Course:
    steps = tuple(_steps(trip, zero))
    most: dict[tuple[str, int], tuple[int, LiveParameters]] = {}
    bucket = Scattered(ranks, zero, offload)
    tied = sum(trip.trained[0][:1]) if trip.tied and trip.full else 0
    end, logits = len(trip.units) - 1, (0, 0)

    def note(place: tuple[str, int], there: Pair, held: HeldGradients) -> None:
        found = sum(there) * size + held.bytes(gradient)
        if found > most.get(place, (-1, None))[0]:
            most[place] = found, LiveParameters(*there, held)

    for step, (waiting, after, left) in zip(steps, _Coordinator(steps, zero).run(), strict=True):
        if step.half == FORWARD:
            logits = left
            note((FORWARD, min(step.unit, end - 2)), waiting, HeldGradients())
            continue
        place = (step.half, step.unit)
        bucket.waiting += tied if step.unit == end and step.first else 0
        for there in (waiting, after):
            note((STILL, step.unit), there, HeldGradients(waiting=bucket.waiting))
        for index, count in enumerate(step.gradients):
            shared = tied if step.unit == 0 and not index else 0
            bucket.waiting -= shared
            for held in bucket.add(count, 3 if shared else 1):
                note(place, after, held)
    for held in bucket.reduce():
        note((AFTER, 0), (0, 0), held)

    def at(half: str, unit: int) -> LiveParameters:
        return most[half, unit][1] if (half, unit) in most else LiveParameters()

    def all_of(unit: int) -> LiveParameters:
        return max(at(MLP, unit), at(STILL, unit), key=lambda one: one.bytes(size, gradient))

    layers = [LiveLayer(at(STILL, index), at(MLP, index), at(OUT, index), at(IN, index)) for index in range(1, end - 1)]
    head = max(all_of(end), LiveParameters(*logits), key=lambda one: one.bytes(size, gradient))
    passing = tuple([at(FORWARD, index) for index in range(1, end - 2)])
    return Course(
        passing, at(FORWARD, max(end - 2, 0)), LiveParameters(*logits), head, all_of(end - 1), tuple(layers), all_of(0), at(AFTER, 0)
    )


FORWARD, AFTER = "forward", "after"
Pair = tuple[int, int]
"""Parameters and buffers, while they are worked out."""


@record
class Visit:
    """A module as a hook comes to it: in the forward, or in which half of a unit's backward; its tensors by number; the gradients that
    come there; ``first`` of its unit."""

    half: str
    unit: int
    own: tuple[int, ...]
    gradients: tuple[int, ...] = ()
    first: bool = False


def _steps(trip: Trip, zero: Zero) -> Iterator[Visit]:
    """A tensor's number is ``index x 2^48 + elements``: its size goes with it."""
    numbered: list[list[tuple[str, tuple[int, ...], tuple[int, ...]]]] = []
    count = 0
    for unit in trip.units:
        modules = []
        for module in unit.modules:
            sizes = tuple([int(size * trip.part) for size in module.tensors])
            own = tuple([(index << 48) + size for index, size in enumerate(sizes, count) if size > zero.persist])
            count += len(sizes)
            modules.append((module.role, own, sizes if trip.full else ()))
        numbered.append(modules)
    if trip.tied and numbered[0]:
        numbered[-1] = [("lm_head", numbered[0][0][1], ()), *numbered[-1]]
    yield from (Visit(FORWARD, 0, ()), Visit(FORWARD, 0, ()))  # the model, and what holds the head
    for index, modules in enumerate(numbered):
        yield from (Visit(FORWARD, index, own) for _, own, _ in modules)
    for index in range(len(numbered) - 1, -1, -1):
        yield from _backward(trip, index, numbered[index])


def _backward(trip: Trip, index: int, modules: list[tuple[str, tuple[int, ...], tuple[int, ...]]]) -> Iterator[Visit]:
    if index == 0 and not trip.through:
        return
    layer = trip.units[index].place == "layer"
    skip = READS_THE_INPUT if index == 1 and not trip.through else frozenset[str]()
    back = [Visit(part_of(role) if layer else MLP, index, own, made) for role, own, made in reversed(modules) if role not in skip]
    if trip.recompute and layer:  # the first to run backward unpacks what it saved: then all are made again
        first = next((place for place, one in enumerate(back, 1) if one.own), 0)
        back[first:first] = [Visit(MLP, index, own) for _, own, _ in modules]
    if not trip.full:
        back.append(Visit(back[-1].half if back else MLP, index, (), tuple(reversed(trip.trained[index]))))
    if back:
        back[0] = Visit(back[0].half, index, back[0].own, back[0].gradients, True)
    yield from back


def _size(tensor: int) -> int:
    return tensor & ((1 << 48) - 1)


@state
class _Handle:
    """Tensors gathered together: those nobody asked for yet, the elements of their flat buffer (0 of a single one), whether it was copied
    out of."""

    left: set[int]
    flat: int
    copied: bool = False


class _Coordinator:
    """The second and later steps, whose order is known (``is_complete_trace``)."""

    def __init__(self, steps: tuple[Visit, ...], zero: Zero) -> None:
        self.steps, self.zero = steps, zero
        self.queue = [(tensor, at) for at, step in enumerate(steps) for tensor in step.own]
        self.before = list(accumulate((sum(map(_size, step.own)) for step in steps), initial=0))
        self.uses: dict[int, list[int]] = {}
        for place, (tensor, _) in enumerate(self.queue):
            self.uses.setdefault(tensor, []).append(place)
        self.under_way: dict[int, _Handle] = {}
        self.copied: list[_Handle] = []
        self.there: set[int] = set()
        self.parameters = 0
        self.next = 0

    @property
    def buffers(self) -> int:
        return sum([handle.flat for handle in self.copied])

    def run(self) -> Iterator[tuple[Pair, Pair, Pair]]:
        """What is there while each module waits for its tensors, once more are on their way, and once it is done."""
        for at, step in enumerate(self.steps):
            own = step.own
            waiting = self._fetch(own) if own else (self.parameters, self.buffers)
            while self.next < len(self.queue) and self.queue[self.next][1] <= at:
                self.next += 1
            self._prefetch()
            after = self.parameters, self.buffers
            self._release(at, own)
            yield waiting, after, (self.parameters, self.buffers)

    def _fetch(self, own: tuple[int, ...]) -> Pair:
        self._gather([tensor for tensor in own if tensor not in self.there])
        return self.parameters, max([self.buffers, *map(self._ask_for, own)])

    def _gather(self, tensors: list[int]) -> None:
        if not tensors:
            return
        elements = sum(map(_size, tensors))
        handle = _Handle(set(tensors), elements if len(tensors) > 1 else 0)
        self.under_way.update(dict.fromkeys(tensors, handle))
        self.there.update(tensors)
        self.parameters += elements

    def _ask_for(self, tensor: int) -> int:
        """Flat buffers while it is waited for."""
        handle = self.under_way.pop(tensor, None)
        if handle is None:
            return 0
        if not handle.copied:
            handle.copied = True
            self.copied.append(handle)
        held = self.buffers
        handle.left.discard(tensor)
        if not handle.left:
            self.copied = [one for one in self.copied if one is not handle]
        return held

    def _prefetch(self) -> None:
        most, found, elements = min(self.zero.max_live - self.parameters, self.zero.prefetch), dict[int, None](), 0
        while self.next < len(self.queue) and elements < most:
            tensor, _ = self.queue[self.next]
            self.next += 1
            if tensor not in self.there and tensor not in found:
                found[tensor] = None
                elements += _size(tensor)
        self._gather(list(found))

    def _release(self, at: int, own: tuple[int, ...]) -> None:
        for tensor in own:
            if tensor not in self.there or self._is_used_soon(tensor, at):
                continue
            self.there.discard(tensor)
            self.parameters -= _size(tensor)

    def _is_used_soon(self, tensor: int, at: int) -> bool:
        again = next((place for place in self.uses[tensor] if self.queue[place][1] > at), None)
        if again is None:
            return False
        return again < self.next or self.before[self.queue[again][1]] - self.before[at + 1] < self.zero.max_reuse
