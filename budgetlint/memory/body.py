"""The parts of a step's moments, by what they go by: the model, the loss, what trains, its gradients.

`phases` puts the moments together of them; plans that differ in one share the others (`parts.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import record
from budgetlint.memory import activations, buffers, compiled, gradients, in_flight, sharded, static
from budgetlint.memory.code import pick
from budgetlint.memory.parts import Asked, Parts
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import Saved
from budgetlint.memory.static import Trainable
from budgetlint.memory.term import Bucket, Part, Term

_MODEL = ("arch", "precision", "adapter", "quant", "sharding", "parallel", "stage", "model_code")
_LAYER = (*_MODEL, "padded", "attention", "kernels", "compiled", "repeat_kv", "expert_loop")
_WORKLOAD = ("batch", "seq", "completion", "source")


def _layer(plan: Plan, _: Parts) -> tuple[Saved, ...]:
    return compiled.layer(plan) if compiled.knows(plan) else pick(plan).layer(plan)


LAYER = Asked(_LAYER, _layer)
"""What one layer keeps, for each token; where it goes by the batch (encoders' tables, eager attention), it is not shared."""


def _trainable(plan: Plan, _: Parts) -> Trainable:
    return static.trainable(plan)


TRAINABLE = Asked(("arch", "adapter", "stage", "vision"), _trainable)


# -- static ------------------------------------------------------------------------------------------------------------------


@record
class Resting:
    """What is there all the time: the weights; optimizer states, workspaces and the buffers of data parallelism."""

    weights: tuple[Part, ...]
    rest: tuple[Part, ...]


def _resting(plan: Plan, parts: Parts) -> Resting:
    train = parts.of(TRAINABLE, plan)
    rest = (*static.optimizer(plan, train), *buffers.workspaces(plan), *buffers.data_parallel(plan, train))
    return Resting(parts.summed(static.weights(plan, train)), parts.summed(rest))


RESTING = Asked((*_MODEL, "vision", "optimizer", "optimizer_in_backward", "wide_embedding", "accumulation", "device"), _resting)


# -- gradients ---------------------------------------------------------------------------------------------------------------


@record
class Gradients:
    """Which gradients exist: ``resting`` once the backward is over, ``carried`` from earlier micro batches; when the last and the first
    layer run backward, with those that only stand before they are added, and those of the layer's own MLP; at the embedding."""

    resting: tuple[Part, ...]
    carried: tuple[Part, ...]
    last: tuple[Part, ...]
    first: tuple[Part, ...]
    added_next: tuple[Part, ...]
    this_mlp: tuple[Part, ...]
    embedding: tuple[Part, ...]


def _gradients(plan: Plan, parts: Parts) -> Gradients:
    train = parts.of(TRAINABLE, plan)
    partition = plan.sharding.kind == "zero3" and plan.runs_deepspeed  # which stands all the time
    carries = plan.carries and not plan.optimizer_in_backward and not partition
    return Gradients(
        resting=parts.summed((gradients.in_backward(plan, train),)),
        carried=parts.summed((gradients.accumulated(plan, train),) if carries else ()),
        last=parts.summed(gradients.at_last_layer(plan, train)),
        first=parts.summed(gradients.at_first_layer(plan, train)),
        added_next=parts.summed(gradients.before_it_is_added(plan)),
        this_mlp=parts.summed((gradients.of_this_mlp(plan),)),
        embedding=parts.summed(_at_the_embedding(plan, train)),
    )


def _at_the_embedding(plan: Plan, train: Trainable) -> Iterator[Part]:
    """Every gradient, and the embedding's twice where it is tied; under FSDP the root unit's are still whole."""
    if not (plan.sharding.is_fsdp and plan.full):
        yield from (gradients.in_backward(plan, train), gradients.tied_twice(plan))
        return
    if not plan.optimizer_in_backward:
        yield gradients.stored(plan, train.elements - plan.shape.root)
    yield from sharded.root_reduction(plan)


GRADIENTS = Asked(
    (*_MODEL, "vision", "head", "side", "attention", "compiled", "accum", "accumulation", "optimizer", "optimizer_in_backward"), _gradients
)


# -- the loss ----------------------------------------------------------------------------------------------------------------


@record
class Logits:
    """What is of vocabulary width at the end of the forward, and when the loss runs backward."""

    forward: tuple[Part, ...]
    backward: tuple[Part, ...]


def _logits(plan: Plan, parts: Parts) -> Logits:
    code, summed = pick(plan), parts.summed
    copies = tuple(code.head_copies(plan))
    return Logits(summed((*code.loss_forward(plan), *copies)), summed((*code.loss_backward(plan), *copies)))


_ENDS = ("arch", "precision", "adapter", "parallel", "stage", "model_code", "head", "side")
LOGITS = Asked((*_ENDS, *_WORKLOAD, "kernels", "compiled", "loss"), _logits)


# -- the layers --------------------------------------------------------------------------------------------------------------


@record
class Half:
    """Half of a layer's backward, its MLP or its attention: what is held when the last and when the first layer comes to it, and what it
    works with."""

    last: tuple[Part, ...]
    first: tuple[Part, ...]
    working: tuple[Part, ...]


@record
class Body:
    """What layers and the parts around them hold. ``gathered`` and ``copies``, of parameters: at the end of the forward, at the loss, and
    while the last and the first layer run backward (``units`` are there then)."""

    kept: tuple[Part, ...]
    outside: tuple[Part, ...]
    last_hidden_state: tuple[Part, ...]
    at_the_logits: tuple[Part, ...]
    at_the_loss: tuple[Part, ...]
    units: tuple[Part, ...]
    at_the_last: tuple[Part, ...]
    at_the_first: tuple[Part, ...]
    mlp: Half
    attention: Half


def _body(plan: Plan, parts: Parts) -> Body:
    layer, train, summed = parts.of(LAYER, plan), parts.of(TRAINABLE, plan), parts.summed
    layers, kept = plan.shape.layers, summed(activations.kept_layers(plan, layer))
    uncut = 0 if plan.recompute.on else layers
    beside = sharded.backward_layers(plan)
    cast = (*buffers.casts(plan, train, cast_layers(plan), head=True), *buffers.folded_experts(plan, uncut))
    again = (*buffers.casts(plan, train, uncut, head=True), *buffers.folded_experts(plan, uncut))
    return Body(
        kept=kept,
        outside=summed(activations.outside_layers(plan)),
        last_hidden_state=summed(activations.last_hidden_state(plan)),
        at_the_logits=summed((*cast, *sharded.parameters(plan, layers=0))),
        at_the_loss=summed((*again, *compiled.at_the_loss(plan), *sharded.parameters(plan, layers=beside - 1))),
        units=summed((*sharded.parameters(plan, layers=beside), *buffers.dequantised(plan))),
        at_the_last=summed(_casts(plan, train, layers)),
        at_the_first=summed(_casts(plan, train, 1)),
        mlp=_half(plan, parts, kept, freed=False),
        attention=_half(plan, parts, kept, freed=True),
    )


BODY = Asked((*_LAYER, *_WORKLOAD, "recompute", "accumulation", "head", "side", "vision"), _body)


def cast_layers(plan: Plan) -> int:
    """Layers whose 16-bit copies live to the end of the forward: all, also under checkpointing; traced BERT layers keep none
    there."""
    if plan.recompute.on and compiled.whole(plan):  # one graph: they are made again with the layer
        return 0
    return 0 if plan.arch.kind == "encoder" and plan.recompute.on else plan.shape.layers


def _casts(plan: Plan, train: Trainable, layers: int) -> Iterator[Part]:
    count = 1 if plan.recompute.on else layers
    yield from buffers.casts(plan, train, count, head=False)
    yield from buffers.folded_experts(plan, count)


def _half(plan: Plan, parts: Parts, kept: tuple[Part, ...], *, freed: bool) -> Half:
    """``freed``: what the MLP held is gone."""
    layer = parts.of(LAYER, plan)
    last = _held_at_the_last(plan, layer, kept, freed)
    return Half(
        parts.summed(last), parts.summed(_held_at_the_first(plan, layer, last, freed)), parts.summed(_working_set(plan, layer, freed))
    )


def _held_at_the_last(plan: Plan, layer: tuple[Saved, ...], kept: tuple[Part, ...], freed: bool) -> tuple[Part, ...]:
    """What is still held when the last layer runs backward; a layer that is made again frees nothing of it."""
    return kept if not freed or plan.recompute.on else tuple(activations.kept_layers(plan, layer, freed))


def _held_at_the_first(plan: Plan, layer: tuple[Saved, ...], last: tuple[Part, ...], freed: bool) -> Iterator[Part]:
    """What is still held when the first layer runs backward: its own tensors, or its checkpoint; under FSDP1 with reentrant
    checkpointing over frozen layers every checkpoint, and more."""
    more = tuple(sharded.held_outputs(plan))
    if more:
        yield from (*last, *more)
    elif plan.recompute.on:
        yield from () if plan.recompute.offload else activations.checkpoints(plan, 1)
    else:
        yield activations.of_one_layer(plan, layer, freed=freed)


def _working_set(plan: Plan, layer: tuple[Saved, ...], freed: bool) -> Iterator[Part]:
    if plan.recompute.on:
        yield from activations.recomputed_layer(plan, layer, freed=freed)
    half, flight = ("attention", in_flight.attention_backward) if freed else ("mlp", in_flight.mlp_backward)
    yield Term(Bucket.ACTIVATIONS, flight(plan), f"in-flight.gradients-in-{half}", plan.because("micro_batch", "seq_len"))
