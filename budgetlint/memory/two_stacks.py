"""An encoder in front of a decoder: what it holds while the decoder runs, and its own part of the backward.

The plan of such a model is its decoder's: ``seq`` are the decoder's tokens, ``source`` the encoder's positions. The encoder's tensors
are kept from its forward to the end of the decoder's backward, which makes the gradient of its output first.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import record, replace
from budgetlint.memory import activations, buffers, gradients, sharded
from budgetlint.memory.estimate import Bucket, Term
from budgetlint.memory.families import layer_saved
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import Saved, norm_output_bytes, residual_bytes, total
from budgetlint.memory.static import Trainable

Moment = tuple[str, tuple[Term, ...]]
_WHY = ("micro_batch", "seq_len", "audio_seconds", "model")


@record
class Encoder:
    """The encoder's plan, what a layer of it keeps, and what it holds until its own backward: ``layers``, ``around`` (stem, output)."""

    plan: Plan
    layer: tuple[Saved, ...]
    layers: tuple[Term, ...]
    around: tuple[Term, ...]

    @property
    def held(self) -> tuple[Term, ...]:
        return (*self.layers, *self.around)

    def copies(self, train: Trainable) -> tuple[Term, ...]:
        """Autocast copies of the encoder's weights, which live as long as its layers wait for their backward."""
        return () if self.plan.recompute.on else tuple(_casts(self, train, self.plan.shape.layers))

    def output_gradient(self) -> Term:
        """The gradient of the encoder's output, summed over the decoder's layers."""
        size = norm_output_bytes(self.plan) * self.plan.arch.hidden
        what = f"gradient of the encoder's output: {self.plan.tokens:,} positions x {size:,} B"
        return Term(Bucket.ACTIVATIONS, self.plan.tokens * size, what, self.plan.because(*_WHY))


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
    named = tuple(_of_the_encoder(term) for term in activations.kept_layers(front, layer))
    return Encoder(front, layer, named, tuple(_around(front)))


def _of_the_encoder(term: Term) -> Term:
    return replace(term, what=f"encoder: {term.what}")


def _around(front: Plan) -> Iterator[Term]:
    """The stem in front of the layers, and the last norm with the output that every layer of the decoder reads."""
    stem = _stem_bytes(front)
    if stem:
        yield Term(Bucket.ACTIVATIONS, stem, f"encoder: {front.length:,} positions, stem and embedding", front.because(*_WHY))
    stream, out = residual_bytes(front), norm_output_bytes(front)
    if front.full:
        kept = front.tokens * (4 * front.arch.hidden + 4 + (stream + out) * front.arch.hidden)
    else:
        kept = front.tokens * (4 + 4 * front.arch.hidden + out * front.arch.hidden)
    yield Term(Bucket.ACTIVATIONS, kept, f"encoder: last norm and output, {front.tokens:,} positions", front.because(*_WHY))


def _stem_bytes(front: Plan) -> int:
    """modeling_whisper.py WhisperEncoder: mel frames (two to a position) and both convolutions before and after their GELU; the inputs
    of the convolutions and of the activations are kept. A text encoder's embedding keeps a dropout mask."""
    arch, size = front.arch, front.precision.compute
    bins = arch.number("mel_bins")
    if not bins:
        return front.tokens * arch.hidden if arch.dropout and front.full else 0
    frames = 2 * front.tokens
    features = frames * bins * (size + (4 if front.precision.autocast else 0))
    if not front.full:
        return features
    first, second = 2 * frames * arch.hidden * size, front.tokens * arch.hidden * size
    return features + first + second


def _casts(one: Encoder, train: Trainable, layers: int) -> Iterator[Term]:
    """16-bit copies of the encoder's weights; those of adapters are counted with the decoder's."""
    if one.plan.precision.weights == 4 and one.plan.quant is None:
        yield from buffers.casts(one.plan, train, layers, head=False)


def backward(one: Encoder, plan: Plan, train: Trainable, resting: tuple[Term, ...]) -> Iterator[Moment]:
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


def _at_the_first(one: Encoder) -> Iterator[Term]:
    front = one.plan
    if front.recompute.on:
        kept = 0 if front.recompute.offload else front.tokens * activations.checkpoint_bytes(front)
    else:
        kept = total(one.layer, front.tokens, front.length)
    yield Term(Bucket.ACTIVATIONS, kept, f"encoder: one layer, {front.tokens:,} positions", front.because(*_WHY))


def _working_set(one: Encoder) -> Iterator[Term]:
    front = one.plan
    if front.recompute.on:
        again = front.recompute.chunk * activations.recomputed_layer(front, one.layer)
        yield Term(
            Bucket.ACTIVATIONS, again, f"encoder: one layer made again, {front.tokens:,} positions", front.because("recompute", *_WHY)
        )
    later = activations.attention_backward(front) - activations.freed_by_the_mlp(front, one.layer)
    flight = max(activations.mlp_backward(front), later)
    yield Term(
        Bucket.ACTIVATIONS, flight, f"encoder: gradients in flight, {front.tokens:,} positions", front.because("micro_batch", "seq_len")
    )
