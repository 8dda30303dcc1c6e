"""The step moment by moment: what is live together, and which moment of each phase is the highest.

Phases are load, forward, backward, step, eval and save. Backward has four moments: the loss, the last layer, the first layer
and the embedding; each is linear in the number of layers, so the ends decide. Formulas: `docs/memory.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from budgetlint.memory import activations, buffers, loss, static
from budgetlint.memory.estimate import Bucket, Phase, Term
from budgetlint.memory.families import layer_saved
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import Saved, total
from budgetlint.memory.static import Trainable


@dataclass(frozen=True)
class Step:
    """What the moments share: the layer's saved tensors, the resting terms, the gradients."""

    plan: Plan
    train: Trainable
    layer: tuple[Saved, ...]
    resting: tuple[Term, ...]
    gradients: Term

    @property
    def carried(self) -> tuple[Term, ...]:
        """Gradients of the micro batches before this one."""
        return (self.gradients,) if self.plan.accum > 1 else ()


def step_of(plan: Plan) -> Step:
    train = static.trainable(plan)
    resting = (*static.weights(plan, train), *static.optimizer(plan, train), *buffers.workspaces(plan), *buffers.data_parallel(plan, train))
    return Step(plan, train, layer_saved(plan), resting, static.gradients(plan, train))


def phases(step: Step) -> tuple[Phase, ...]:
    """The highest moment of every phase, in the order of the step."""
    return (
        _highest("forward", [_forward(step)]),
        _highest("backward", [_loss_backward(step), *_layer_backward(step), _embedding_backward(step)]),
        _highest("step", [_optimizer_step(step)]),
    )


def _highest(name: str, moments: Iterable[tuple[str, tuple[Term, ...]]]) -> Phase:
    moment, terms = max(moments, key=lambda item: sum(term.bytes for term in item[1]))
    return Phase(name, tuple(term for term in terms if term.bytes), moment)


def _forward(step: Step) -> tuple[str, tuple[Term, ...]]:
    plan = step.plan
    hidden = activations.last_hidden_state(plan)
    return "the logits", (
        *step.resting,
        *step.carried,
        *activations.kept_layers(plan, step.layer),
        *activations.outside_layers(plan),
        Term(
            Bucket.ACTIVATIONS,
            hidden,
            f"last hidden state: {plan.tokens:,} tokens x {plan.arch.hidden:,}",
            plan.because("micro_batch", "seq_len"),
        ),
        *loss.forward(plan),
        *buffers.casts(plan, step.train, plan.shape.layers, head=True),
        *buffers.gathered(plan, root=True),
    )


def _loss_backward(step: Step) -> tuple[str, tuple[Term, ...]]:
    plan = step.plan
    layers = 0 if plan.recompute.on else plan.shape.layers
    return "the loss", (
        *step.resting,
        *step.carried,
        *activations.kept_layers(plan, step.layer),
        *activations.outside_layers(plan),
        *loss.backward(plan),
        *buffers.casts(plan, step.train, layers, head=True),
        *buffers.gathered(plan, root=True),
    )


def _layer_backward(step: Step) -> Iterator[tuple[str, tuple[Term, ...]]]:
    plan = step.plan
    last, first = _gradients_at_last_layer(step), _gradients_at_first_layer(step)
    rest = (*step.resting, *buffers.gathered(plan, root=False), *buffers.dequantised(plan))
    held = tuple(activations.kept_layers(plan, step.layer))
    one = (*_one_layer_held(step),)
    for moment, flight, extra in (
        ("MLP", activations.mlp_backward(plan, step.layer), 0),
        ("attention", activations.attention_backward(plan, step.layer), _mlp_gradients(step)),
    ):
        working = _working_set(step, moment, flight)
        yield f"the last layer's {moment}", (*rest, *held, *working, last, _more_gradients(step, extra), *_casts(step, plan.shape.layers))
        yield f"the first layer's {moment}", (*rest, *one, *working, first, _more_gradients(step, extra), *_casts(step, 1))


def _one_layer_held(step: Step) -> Iterator[Term]:
    """What is still held when the first layer runs backward: its own tensors, or its checkpoint."""
    plan = step.plan
    if plan.recompute.on:
        size = 0 if plan.recompute.offload else activations.checkpoint_bytes(plan)
        yield Term(
            Bucket.ACTIVATIONS, plan.tokens * size, f"one layer input x {plan.tokens:,} tokens x {size:,} B", plan.because("recompute")
        )
    else:
        saved = total(step.layer, plan.tokens, plan.length)
        yield Term(Bucket.ACTIVATIONS, saved, f"one layer x {plan.tokens:,} tokens", plan.because("micro_batch", "seq_len"))


def _working_set(step: Step, moment: str, flight: int) -> Iterator[Term]:
    plan = step.plan
    if plan.recompute.on:
        again = activations.recomputed_layer(plan, step.layer)
        yield Term(
            Bucket.ACTIVATIONS, again, f"one layer made again: {plan.tokens:,} tokens", plan.because("recompute", "micro_batch", "seq_len")
        )
    yield Term(
        Bucket.ACTIVATIONS, flight, f"gradients in flight in the {moment}: {plan.tokens:,} tokens", plan.because("micro_batch", "seq_len")
    )


def _casts(step: Step, layers: int) -> Iterator[Term]:
    return buffers.casts(step.plan, step.train, 1 if step.plan.recompute.on else layers, head=False)


def _gradient_size(plan: Plan) -> int:
    return plan.adapter.dtype if plan.adapter is not None else plan.precision.grads


def _gradients_at_last_layer(step: Step) -> Term:
    """Gradients that exist when the last layer runs backward: the head's (and the carried ones)."""
    plan = step.plan
    if plan.accum > 1 or not plan.full:
        return step.gradients
    count = _down_elements(plan) + (plan.shape.head_elements if plan.arch.kind == "decoder" else 0)
    return Term(
        Bucket.GRADIENTS,
        static.gradient_bytes(plan, count),
        f"gradients of the head and the last down projection: {count:,} x {_gradient_size(plan)} B",
        plan.because("precision", "weights_dtype"),
    )


def _down_elements(plan: Plan) -> int:
    return sum(linear.weights for linear in plan.shape.layer if linear.role in ("down_proj", "expert_down_proj"))


def _gradients_at_first_layer(step: Step) -> Term:
    """All gradients but the first layer's own (its down projection's exists) and an untied embedding's."""
    plan = step.plan
    if plan.accum > 1 or not plan.full:
        return step.gradients
    shape = plan.shape
    missing = shape.layer_total - _down_elements(plan) + (shape.embed if shape.head else 0)
    count = max(step.train.elements - missing, 0)
    return Term(
        Bucket.GRADIENTS,
        static.gradient_bytes(plan, count),
        f"{count:,} gradients x {_gradient_size(plan)} B",
        plan.because("precision", "weights_dtype", "shard"),
    )


def _mlp_gradients(step: Step) -> int:
    plan = step.plan
    if not plan.full or plan.accum > 1:
        return 0
    return sum(linear.weights for linear in plan.shape.layer if linear.role in ("gate_proj", "up_proj"))


def _more_gradients(step: Step, count: int) -> Term:
    return Term(Bucket.GRADIENTS, static.gradient_bytes(step.plan, count), f"this layer's MLP gradients: {count:,}")


def _embedding_backward(step: Step) -> tuple[str, tuple[Term, ...]]:
    """All gradients. A tied embedding gets two, from the head and from the lookup, and their sum beside them."""
    plan = step.plan
    extra = 2 * plan.shape.embed if plan.full and not plan.shape.head and plan.arch.kind == "decoder" else 0
    size = _gradient_size(plan)
    gradients = (
        step.gradients,
        Term(
            Bucket.GRADIENTS,
            extra * size,
            f"the embedding's second gradient and their sum: 2 x {plan.shape.embed:,} x {size} B",
            plan.because("model"),
        ),
    )
    return "the embedding", (*step.resting, *gradients, *buffers.root_reduction(plan))


def _optimizer_step(step: Step) -> tuple[str, tuple[Term, ...]]:
    return "the update", (*step.resting, step.gradients, *static.step_temporaries(step.plan, step.train))
