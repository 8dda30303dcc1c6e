"""The step moment by moment as DeepSpeed's ZeRO runs it: `phases.py`, with its buckets and gathered parameters where they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from budgetlint.memory import activations, buffers, zero
from budgetlint.memory.body import LOGITS
from budgetlint.memory.plan import Plan
from budgetlint.memory.step import Step
from budgetlint.memory.term import Bucket, Part, Term, tensor
from budgetlint.memory.zero_live import LiveLayer, LiveParameters
from budgetlint.memory.zero_reduce import HeldGradients, OfLayer, reduced
from budgetlint.memory.zero_tensors import trained

if TYPE_CHECKING:
    # the moments of this engine are moments of a step; `phases` asks for them only under ZeRO
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


def _passing(step: Step, before: tuple[Part, ...], found: tuple[LiveParameters, ...]) -> Iterator[Moment]:
    """The layer in whose forward the most is held: buffers that were gathered into stand beside their copies, more of them at first."""
    plan = step.plan
    if not found or plan.shape.encoder is not None:
        return
    passing = activations.passing_layer(plan, step.layer, ("micro_batch", "seq_len"))
    each = sum(part.bytes for part in _of_layers_before(step, 1))
    at = max(range(len(found)), key=lambda index: zero.bytes_of(plan, found[index]) + index * each)
    kept = _of_layers_before(step, at) if at else ()
    yield f"layer {at + 1}", (*before, *kept, passing, *zero.gathered(plan, step.train, found[at]))


def _of_layers_before(step: Step, layers: int) -> tuple[Part, ...]:
    """What so many layers keep for their backward."""
    plan = step.plan
    return tuple(activations.checkpoints(plan, layers)) if plan.recompute.on else (activations.of_layers(plan, step.layer, layers),)


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
    for at, name in ((len(places.layers) - 1, "the last layer"), (places.highest(), "")):
        yield from _layer(step, places, at, name or (f"layer {at + 1}" if at else "the first layer"), rest)
    yield "the embedding", (*before, *bucket, *places.terms(places.front), *_on_its_way(plan))
    if plan.sharding.kind != "zero3":
        yield "the reduction", (*step.resting, *bucket, *places.terms(places.after))


def _layer(step: Step, places: _Places, at: int, name: str, rest: tuple[Part, ...]) -> Iterator[Moment]:
    """The most that the MLP and the attention work with, between two gradients; and as a gradient comes, when what they make in passing is
    there no more: behind the attention nothing of it is."""
    body, plan, now = step.body, step.plan, places.layers[at]
    last = name == "the last layer"
    front = () if step.front is None or last else (step.front.output_gradient(),)
    before = () if last or not at else _of_layers_before(step, at)
    beside = (*rest, *front, *before, *(body.at_the_last if last else body.at_the_first))
    again = plan.recompute.on
    for half, parts, freed, found in (("MLP", body.mlp, False, now.mlp), ("attention", body.attention, True, now.out)):
        held = parts.last if last else parts.first
        yield f"{name}'s {half}", (*beside, *held, *parts.working, *places.terms(now.still))
        made = tuple(activations.recomputed_layer(plan, step.layer, freed=freed)) if again else ()
        yield f"{name}'s {half} gradients", (*beside, *held, *made, *places.terms(found))
    held = body.attention.last if last else body.attention.first
    yield f"{name}'s input gradients", (*beside, *held, *places.terms(now.into))


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
        return (*zero.held(plan, HeldGradients(waiting=step.train.elements)), *_carried_bucket(plan))
    if plan.sharding.offload_optimizer:
        return ()
    return tuple(zero.held(plan, HeldGradients(own=zero.order_of(plan, step.train).touching(plan.sharding.rank or 0))))


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
        self.step, self.plan, self.train = step, step.plan, step.train
        plan, train = step.plan, step.train
        found = (
            zero.course_of(plan, train) if plan.sharding.kind == "zero3" else reduced(plan, trained(plan, train), zero.gradient_size(plan))
        )
        self.head, self.end, self.front, self.after = found.head, found.end, found.front, found.after
        self.layers: tuple[OfLayer | LiveLayer, ...] = found.layers or (OfLayer(),)

    def terms(self, now: LiveParameters | HeldGradients) -> Iterator[Term]:
        return zero.gathered(self.plan, self.train, now) if isinstance(now, LiveParameters) else zero.held(self.plan, now)

    def highest(self) -> int:
        """The layer below the last where most is held, with what the layers before it keep; the first, where not each keeps the same."""
        plan, way, layers = self.plan, self.plan.recompute, self.layers
        uneven = way.offload or way.every * way.chunk > 1 or way.first is not None or plan.arch.first_dense_layers
        if uneven or len(layers) != activations.all_layers(plan):
            return 0
        kept = sum(part.bytes for part in _of_layers_before(self.step, 1))
        return max(range(max(len(layers) - 1, 1)), key=lambda index: self._most(layers[index]) + index * kept)

    def _most(self, layer: OfLayer | LiveLayer) -> int:
        return max(zero.bytes_of(self.plan, one) for one in (layer.still, layer.mlp, layer.out))
