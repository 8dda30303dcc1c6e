"""The step moment by moment as DeepSpeed's ZeRO runs it: `phases.py`, with its buckets and gathered parameters where they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from budgetlint.memory import activations, buffers, zero
from budgetlint.memory.body import LOGITS
from budgetlint.memory.plan import Plan
from budgetlint.memory.step import Step
from budgetlint.memory.term import Bucket, Part, Term, tensor
from budgetlint.memory.zero_live import Live
from budgetlint.memory.zero_reduce import Held, reduced
from budgetlint.memory.zero_tensors import trained

if TYPE_CHECKING:
    from budgetlint.memory.phases import Moment


def forward(step: Step) -> Iterator[Moment]:
    body, plan = step.body, step.plan
    before = (*step.resting, *_carried(step), *step.flying)
    if plan.sharding.kind == "zero3":
        course = zero.course_of(plan, step.train)
        yield from _passing(step, before, course.passing)
        yield "the last parameters", (*before, *body.kept, *body.outside, *zero.gathered(plan, step.train, course.gather))
    logits = step.parts.of(LOGITS, plan).forward
    yield "the logits", (*before, *body.kept, *body.outside, *body.last_hidden_state, *logits, *body.at_the_logits)


def _passing(step: Step, before: tuple[Part, ...], found: tuple[Live, ...]) -> Iterator[Moment]:
    """The layer in whose forward the most is held: buffers that were gathered into stand beside their copies, more of them at first."""
    plan, layer = step.plan, step.layer
    if not found or plan.shape.encoder is not None:
        return
    passing = activations.passing_layer(plan, layer, ("micro_batch", "seq_len"))
    each = sum(term.bytes for term in activations.checkpoints(plan, 1)) if plan.recompute.on else passing.bytes
    at = max(range(len(found)), key=lambda index: zero.bytes_of(plan, found[index]) + index * each)
    kept = activations.checkpoints(plan, at) if plan.recompute.on else (activations.of_layers(plan, layer, at),)
    yield f"layer {at + 1}", (*before, *(kept if at else ()), passing, *zero.gathered(plan, step.train, found[at]))


def backward(step: Step) -> Iterator[Moment]:
    body, plan, places = step.body, step.plan, _Places(step)
    bucket = tuple(zero.bucket(plan)) if plan.sharding.kind != "zero3" else ()
    before = (*step.resting, *step.flying)
    early = bucket if plan.sharding.zero.early and not _carried_bucket(plan) else ()
    logits = step.parts.of(LOGITS, plan).backward
    yield "the loss", (*before, *_carried(step), *early, *body.kept, *body.outside, *logits, *body.at_the_loss)
    rest = (*before, *bucket, *buffers.dequantised(plan))
    if plan.makes_logits and plan.full and plan.loss not in ("fused", "chunked"):
        behind = (*body.kept, *body.outside, *places.terms(places.head))
        standing = (*_carried_bucket(plan), *early) if plan.sharding.kind != "zero3" else ()
        yield "the head", (*before, *standing, *buffers.dequantised(plan), *behind, _gradient_of_logits(plan))
        yield "the head's gradient", (*rest, *behind, *_of_hidden_state(plan, plan.precision.compute))
    yield "the final norm", (*rest, *body.kept, *places.terms(places.end), *_of_hidden_state(plan, plan.precision.compute + 4))
    front = () if step.front is None else (step.front.output_gradient(),)
    for half, parts, found in (("MLP", body.mlp, places.mlp), ("attention", body.attention, places.attention)):
        yield f"the last layer's {half}", (*rest, *parts.last, *parts.working, *places.terms(found[-1]), *body.at_the_last)
        above = places.highest(found)
        more = tuple(activations.checkpoints(plan, above)) if above else ()
        name = f"layer {above + 1}'s {half}" if above else f"the first layer's {half}"
        yield name, (*rest, *parts.first, *front, *more, *parts.working, *places.terms(found[above]), *body.at_the_first)
    yield "the embedding", (*before, *bucket, *places.terms(places.front), *_on_its_way(plan))
    if plan.sharding.kind != "zero3":
        yield "the reduction", (*step.resting, *bucket, *places.terms(places.after))


def update(step: Step) -> Iterator[Moment]:
    """What is reduced lies in the partition; all other gradients and the bucket are gone."""
    others = tuple(part for part in step.flying if part.bucket is Bucket.GRADIENTS)
    if step.plan.accum > 1:
        yield "between micro batches", (*step.resting, *others, *_carried(step))
    for name, parts in zero.step(step.plan, step.train):
        yield name, (*step.resting, *others, *parts)
    if step.plan.sharding.kind == "zero3":
        yield "the small parameters", (*step.resting, *others, *zero.small(step.plan, step.train))


def _carried(step: Step) -> tuple[Part, ...]:
    """What earlier micro batches left: stage 1 keeps whole gradients and its bucket until it reduces them, stage 2 what is its own; with an
    optimizer on the host that waits there. Stage 3's partition stands all the time."""
    plan = step.plan
    if plan.accum == 1 or plan.sharding.kind == "zero3":
        return ()
    if plan.sharding.kind == "zero1":
        return (*zero.held(plan, Held(waiting=step.train.elements)), *_carried_bucket(plan))
    if plan.sharding.offload_optimizer:
        return ()
    return tuple(zero.held(plan, Held(own=zero.order_of(plan, step.train).touching(plan.sharding.rank or 0))))


def _carried_bucket(plan: Plan) -> tuple[Term, ...]:
    return tuple(zero.bucket(plan)) if plan.sharding.kind == "zero1" and plan.accum > 1 else ()


def _gradient_of_logits(plan: Plan) -> Term:
    shape, why = (*plan.scored_rows, ("vocab", plan.arch.vocab)), plan.because("micro_batch", "seq_len", "model", "loss")
    return tensor(Bucket.LOGITS, "logits.gradient", why, shape, plan.precision.compute)


def _on_its_way(plan: Plan) -> Iterator[Term]:
    """The gradient that the embedding's comes from is held while hooks reduce; not once the backward is over."""
    if plan.full and (plan.sharding.kind != "zero1" or plan.sharding.zero.overlap):
        yield from _of_hidden_state(plan, plan.precision.compute)


def _of_hidden_state(plan: Plan, size: int) -> Iterator[Term]:
    """The gradient of a hidden state, ``size`` bytes an element."""
    shape, why = (*plan.rows, ("hidden", plan.stream)), plan.because("micro_batch", "seq_len")
    yield tensor(Bucket.ACTIVATIONS, "in-flight.gradient-of-a-hidden-state", why, shape, size)


class _Places:
    """What gradients (and ZeRO-3's parameters) take at each place of the backward."""

    def __init__(self, step: Step) -> None:
        self.plan, self.train = plan, train = step.plan, step.train
        self.head: Live | Held
        if plan.sharding.kind == "zero3":
            course = zero.course_of(plan, train)
            self.head, self.end, self.front, self.after = course.head, course.end, course.front, course.after
            self.mlp: tuple[Live | Held, ...] = course.mlp or (Live(),)
            self.attention: tuple[Live | Held, ...] = course.attention or (Live(),)
        else:
            found = reduced(plan, trained(plan, train), zero.gradient_size(plan))
            self.head, self.end, self.front, self.after = found.head, found.end, found.front, found.after
            self.mlp = self.attention = found.layers or (Held(),)

    def terms(self, now: Live | Held) -> Iterator[Term]:
        return zero.gathered(self.plan, self.train, now) if isinstance(now, Live) else zero.held(self.plan, now)

    def highest(self, found: tuple[Live | Held, ...]) -> int:
        """The layer below the last where most is held, with the checkpoints of those before it: they are all that changes from one layer
        to the next where layers are made again. Where they are not, the first: the tensors of those before it weigh more."""
        plan, way = self.plan, self.plan.recompute
        if not way.on or way.offload or way.every * way.chunk > 1 or way.first is not None or len(found) != activations.all_layers(plan):
            return 0
        kept = sum(term.bytes for term in activations.checkpoints(plan, 1))
        return max(range(max(len(found) - 1, 1)), key=lambda index: zero.bytes_of(plan, found[index]) + index * kept)
