"""An encoder in front of a decoder: what it holds while the decoder runs, and its own part of the backward.

The plan of such a model is its decoder's: ``seq`` are the decoder's tokens, ``source`` the encoder's positions. The encoder's tensors
are kept from its forward to the end of the decoder's backward, which makes the gradient of its output first.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import record, replace
from budgetlint.memory import activations, buffers, gradients, in_flight, sharded
from budgetlint.memory.families import layer_saved
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import LayerTerms, Saved, norm_output_bytes, residual_bytes
from budgetlint.memory.static import Trainable
from budgetlint.memory.term import Bucket, Part, Term, tensor

Moment = tuple[str, tuple[Part, ...]]
_WHY = ("micro_batch", "seq_len", "audio_seconds", "model")


@record
class Encoder:
    """The encoder's plan, what a layer of it keeps, and what it holds until its own backward: ``layers``, ``around`` (stem, output)."""

    plan: Plan
    layer: tuple[Saved, ...]
    layers: tuple[Part, ...]
    around: tuple[Term, ...]

    @property
    def held(self) -> tuple[Part, ...]:
        return (*self.layers, *self.around)

    def copies(self, train: Trainable) -> tuple[Term, ...]:
        """Autocast copies of the encoder's weights, which live as long as its layers wait for their backward."""
        return () if self.plan.recompute.on else tuple(_casts(self, train, self.plan.shape.layers))

    def output_gradient(self) -> Term:
        """The gradient of the encoder's output, summed over the decoder's layers."""
        plan = self.plan
        shape = (*plan.rows, ("hidden", plan.arch.hidden))
        return tensor(Bucket.ACTIVATIONS, "encoder.output-gradient", plan.because(*_WHY), shape, norm_output_bytes(plan))


def encoder_of(plan: Plan) -> Plan:
    """The plan as its encoder's."""
    front = plan.shape.encoder
    assert front is not None
    return replace(plan, shape=front, seq=plan.source, source=None, side="encoder")


def encoder(plan: Plan) -> Encoder | None:
    """What stands in front of the decoder; None for a model of one stack."""
    if plan.shape.encoder is None:
        return None
    front = encoder_of(plan)
    layer = layer_saved(front)
    named = tuple(map(_of_the_encoder, activations.kept_layers(front, layer)))
    return Encoder(front, layer, named, tuple(_around(front)))


def _of_the_encoder(part: Term | LayerTerms) -> Part:
    return part.within("encoder")


def _around(front: Plan) -> Iterator[Term]:
    """The stem in front of the layers, and the last norm with the output that every layer of the decoder reads."""
    why, wide = front.because(*_WHY), (*front.rows, ("hidden", front.arch.hidden))
    yield from _stem(front)
    yield tensor(Bucket.ACTIVATIONS, "encoder.final-norm.input-fp32", why, wide, 4)
    yield tensor(Bucket.ACTIVATIONS, "encoder.final-norm.statistics", why, front.rows, 4)
    if front.full:
        yield tensor(Bucket.ACTIVATIONS, "encoder.final-norm.normed", why, wide, residual_bytes(front))
    yield tensor(Bucket.ACTIVATIONS, "encoder.output", why, wide, norm_output_bytes(front))


def _stem(front: Plan) -> Iterator[Term]:
    """modeling_whisper.py WhisperEncoder: mel frames (two to a position) and both convolutions before and after their GELU; the inputs
    of the convolutions and of the activations are kept. A text encoder's embedding keeps a dropout mask."""
    arch, size, why = front.arch, front.precision.compute, front.because(*_WHY)
    bins, wide = arch.number("mel_bins"), ("hidden", arch.hidden)
    if not bins:
        if arch.dropout and front.full:
            yield tensor(Bucket.ACTIVATIONS, "encoder.embedding.dropout-mask", why, (*front.rows, wide), 1)
        return
    frames = (("frame", 2), *front.rows)
    if front.precision.autocast:
        yield tensor(Bucket.ACTIVATIONS, "encoder.stem.features-fp32", why, (*frames, ("mel bin", bins)), 4)
    yield tensor(Bucket.ACTIVATIONS, "encoder.stem.features", why, (*frames, ("mel bin", bins)), size)
    if front.full:
        for name in ("first-convolution", "first-activation"):
            yield tensor(Bucket.ACTIVATIONS, f"encoder.stem.{name}", why, (*frames, wide), size)
        yield tensor(Bucket.ACTIVATIONS, "encoder.stem.second-convolution", why, (*front.rows, wide), size)


def _casts(one: Encoder, train: Trainable, layers: int) -> Iterator[Term]:
    """16-bit copies of the encoder's weights; those of adapters are counted with the decoder's."""
    if one.plan.precision.weights == 4 and one.plan.quant is None:
        yield from buffers.casts(one.plan, train, layers, head=False)


def backward(one: Encoder, plan: Plan, train: Trainable, resting: tuple[Part, ...]) -> Iterator[Moment]:
    """The encoder's last and first layer run backward: the decoder has all its gradients and nothing else left."""
    front = one.plan
    rest = (*resting, *sharded.parameters(plan, layers=sharded.backward_layers(plan)), *buffers.dequantised(plan))
    working = tuple(_working_set(one))
    last, first = _gradients(plan, train, front.shape.layers), _gradients(plan, train, 1)
    yield "the encoder's last layer", (*rest, *one.layers, *working, last, *_casts(one, train, _casting(front)))
    yield "the encoder's first layer", (*rest, *_at_the_first(one), *working, first, *_casts(one, train, 1))


def _casting(front: Plan) -> int:
    return 1 if front.recompute.on else front.shape.layers


def _gradients(plan: Plan, train: Trainable, layers: int) -> Term:
    """All but those of the encoder's layers that have not run, and of an untied embedding."""
    if plan.carries or not plan.full or plan.optimizer_in_backward:
        return gradients.in_backward(plan, train)
    front = plan.shape.encoder
    assert front is not None
    missing = layers * front.layer_total + (plan.shape.embed if plan.shape.head else 0)
    return gradients.stored(plan, max(train.elements - missing, 0))


def _at_the_first(one: Encoder) -> Iterator[Part]:
    front = one.plan
    if not front.recompute.on:
        yield _of_the_encoder(activations.of_one_layer(front, one.layer))
    elif not front.recompute.offload:
        yield from map(_of_the_encoder, activations.checkpoints(front, 1))


def _working_set(one: Encoder) -> Iterator[Part]:
    front = one.plan
    if front.recompute.on:
        yield from map(_of_the_encoder, activations.recomputed_layer(front, one.layer))
    later = in_flight.attention_backward(front) - activations.freed_by_the_mlp(front, one.layer)
    flight = max(in_flight.mlp_backward(front), later)
    yield Term(Bucket.ACTIVATIONS, flight, "encoder.in-flight.gradients", front.because("micro_batch", "seq_len"))
