"""Which gradients exist at each moment of the backward, and how many bytes they take on one rank."""

from __future__ import annotations

from budgetlint.memory import compiled, sharded, static
from budgetlint.memory.code import pick
from budgetlint.memory.plan import Plan
from budgetlint.memory.static import Trainable
from budgetlint.memory.term import Bucket, Term, tensor

_WHY = ("optimizer_in_backward", "precision", "weights_dtype", "shard", "grads_dtype")


def element_bytes(plan: Plan) -> int:
    return plan.adapter.dtype if plan.adapter is not None else plan.precision.grads


def accumulated(plan: Plan, train: Trainable) -> Term:
    """What earlier micro batches left: whole under FSDP's ``no_sync``, else as the optimizer takes it."""
    return sharded.whole_gradients(plan, train.elements) if plan.accumulation.unreduced else in_backward(plan, train)


def in_backward(plan: Plan, train: Trainable) -> Term:
    """Gradients at rest; with the step inside the backward only one unit's: the larger of a layer and the largest table.

    torchtune 0.6 training/memory.py register_optim_in_bwd_hooks: a hook on each parameter steps as its gradient is complete and
    drops it (``zero_grad``), so never all of them exist. A tied table's waits for the lookup. A layer is a little more than the
    parameters in flight; it is the simple bound.
    """
    if not plan.optimizer_in_backward:
        return static.gradients(plan, train)
    shape = plan.shape
    if not plan.full:
        return _fresh(plan, train.elements // max(shape.layers, 1), "adapters-of-one-layer")
    waits = 0 if shape.head or not plan.makes_logits else shape.embed
    count = min(train.elements, max(shape.layer_total + waits, train.largest))
    return _fresh(plan, count, "one-layer-or-table")


def at_last_layer(plan: Plan, train: Trainable) -> tuple[Term, ...]:
    """The head's gradient and that of the down projection; all of them where an earlier micro batch left them."""
    if plan.optimizer_in_backward:
        return (in_backward(plan, train),)
    if plan.carries or not plan.full:
        return (accumulated(plan, train), *sharded.gradient_of_the_unit(plan))
    return (_fresh(plan, down_elements(plan) + _head(plan), "head-and-last-down"),)


def at_first_layer(plan: Plan, train: Trainable) -> tuple[Term, ...]:
    """All but the first layer's own (its down projection's exists) and an untied embedding's."""
    if plan.optimizer_in_backward:
        return (in_backward(plan, train),)
    if plan.carries or not plan.full:
        return (accumulated(plan, train), *sharded.gradient_of_the_unit(plan))
    shape = plan.shape
    if plan.sharding.is_fsdp:
        done = max(train.elements - shape.root - _behind(plan) - shape.layer_total, 0)
        return (stored(plan, done), _fresh(plan, down_elements(plan) + _head(plan), "head-and-first-down"))
    missing = shape.layer_total - down_elements(plan) + (shape.embed if shape.head or not plan.makes_logits else 0) + shape.in_front
    return (stored(plan, max(train.elements - missing - _behind(plan), 0)),)


def _behind(plan: Plan) -> int:
    """A vision tower's gradients come last."""
    if plan.vision is None:
        return 0
    from budgetlint.memory import vision

    return vision.behind(plan)


def at_the_tower(plan: Plan, train: Trainable) -> Term:
    """All but the vision tower's own; all of them where an earlier micro batch left them."""
    if plan.optimizer_in_backward or plan.carries or not plan.full:
        return accumulated(plan, train)
    return stored(plan, max(train.elements - _behind(plan), 0))


def before_it_is_added(plan: Plan) -> tuple[Term, ...]:
    """The gradient of one weight, made before it is added to those of earlier micro batches: in a pipeline whose linears do not add
    to the buffer themselves (Megatron-LM 3.0 ``gradient_accumulation_fusion``)."""
    together = compiled.before_it_is_added(plan)
    if together:
        return (_fresh(plan, together, "layer-added-next"),)
    if not plan.parallel.sent or not plan.full:
        return ()
    count = max((linear.inputs * linear.outputs for linear in plan.shape.layer), default=0)
    return (_fresh(plan, count, "weight-added-next"),)


def of_this_mlp(plan: Plan) -> Term:
    """Gate and up: they exist by the time attention runs backward."""
    if not plan.full or plan.carries or plan.optimizer_in_backward:
        return Term(Bucket.GRADIENTS, 0, "gradients.this-mlp")
    count = sum(linear.weights for linear in plan.shape.layer if linear.role in ("gate_proj", "up_proj", "gate_up_proj"))
    return _fresh(plan, count, "this-mlp")


def _head(plan: Plan) -> int:
    return plan.shape.head_elements if plan.makes_logits else 0


def down_elements(plan: Plan) -> int:
    return sum(linear.weights for linear in plan.shape.layer if linear.role in ("down_proj", "expert_down_proj"))


def stored(plan: Plan, count: int) -> Term:
    return static.stored_gradients(plan, count, "gradients.stored", plan.because(*_WHY))


def _fresh(plan: Plan, count: int, whose: str) -> Term:
    """Gradients just made: under FSDP still whole and in the compute dtype, their unit is reduced when it is complete."""
    if plan.sharding.is_fsdp:
        shape = (("gradient", count),)
        return tensor(Bucket.GRADIENTS, f"gradients.unsharded-{whose}", plan.because(*_WHY), shape, plan.precision.compute)
    return static.stored_gradients(plan, count, f"gradients.{whose}", plan.because(*_WHY))


def tied_twice(plan: Plan) -> Term:
    """A tied embedding gets two gradients, from the head and from the lookup; their sum stands beside both. Where earlier micro batches
    left a gradient, the new one is made before it is added (torch accumulate_grad.h; `benchmarks/oracle.py` counts it)."""
    if compiled.whole(plan):
        return Term(Bucket.GRADIENTS, 0, "gradients.tied-embedding-and-sum")  # `compiled.at_the_embedding`
    tied = plan.full and not plan.shape.head and plan.makes_logits
    parts = 1 if pick(plan).sums_in_place and plan.loss == "chunked" else 2
    again = plan.full and plan.accum > 1 and not plan.accumulation.one_buffer and not plan.optimizer_in_backward
    shape = (("gradient", parts * tied + again), ("parameter", plan.shape.embed))
    slug = "gradients.tied-embedding-and-sum" if tied else "gradients.embedding-of-this-batch"
    return tensor(Bucket.GRADIENTS, slug, plan.because("model", "grad_accum"), shape, element_bytes(plan))
