"""What sharding adds while layers run: gathered parameters, unsharded gradients on their way, the root unit.

Sources: torch 2.13 distributed/fsdp/_runtime_utils.py (FSDP1) and _fully_shard/_fsdp_param_group.py (FSDP2); DeepSpeed 0.19.6
runtime/zero/partitioned_param_coordinator.py. A traced FSDP2 step (Llama-3.1-8B on 8 ranks) and 137 measured FSDP1 rows agree
with them (`docs/accuracy.md`).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.memory import static, zero
from budgetlint.memory.code import pick
from budgetlint.memory.plan import Plan
from budgetlint.memory.term import Bucket, Term, of_size, tensor

_WHY = ("shard", "reshard_after_forward", "wrap")


def parameters(plan: Plan, *, layers: int) -> Iterator[Term]:
    """Parameters gathered at one moment: the root unit (embeddings, head, final norm) from the first layer on, and ``layers``
    layer units (all of them where they are not resharded after the forward)."""
    sharding = plan.sharding
    if sharding.params_over == 1 and not sharding.offload_params:
        return
    if sharding.is_fsdp:
        yield from _fsdp_units(plan, plan.shape.layers if not sharding.reshard else layers)
    else:
        yield from _zero_live(plan)


def _fsdp_units(plan: Plan, layers: int) -> Iterator[Term]:
    shape, size, why = plan.shape, plan.precision.compute, plan.because(*_WHY)
    yield tensor(Bucket.BUFFERS, "gathered.root", why, (("parameter", shape.root),), size)
    if not layers:
        return
    packed = plan.quantised_weights
    if plan.quant is not None and packed:
        num, den = plan.quant.bytes_num, plan.quant.bytes_den
        dims = (("layer", layers), ("weight", packed))
        yield of_size(Term(Bucket.BUFFERS, packed * num // den * layers, "gathered.quantised-layers", why, dims, num, den))
    yield tensor(Bucket.BUFFERS, "gathered.layers", why, (("layer", layers), ("parameter", shape.layer_total - packed)), size)


def _zero_live(plan: Plan) -> Iterator[Term]:
    """Behind the head, as DeepSpeed's coordinator has it (`zero_live.py`): about ``max_live``, or all there is."""
    train = static.trainable(plan)
    yield from zero.gathered(plan, train, zero.course_of(plan, train).logits)


def backward_layers(plan: Plan) -> int:
    """Layer units gathered while one layer runs backward: FSDP2 prefetches the next, in FSDP1 no second one is seen."""
    return 2 if plan.sharding.kind == "fsdp2" else 1


def held_outputs(plan: Plan) -> Iterator[Term]:
    """FSDP1 over frozen layers with reentrant checkpointing: hidden states of all but two layers stay until the first layer
    has run backward (reproduced on gloo with torch 2.14: not with use_reentrant=False, not with FSDP2, not when all trains)."""
    if plan.sharding.kind != "fsdp" or plan.full or not plan.recompute.reentrant or plan.recompute.kind != "full":
        return
    layers = max(plan.shape.layers - 2, 0)  # of one layer there are not two to leave out
    why, shape = plan.because("recompute_reentrant", "shard", "recompute"), (("layer", layers), *plan.rows, ("hidden", plan.arch.hidden))
    yield tensor(Bucket.ACTIVATIONS, "fsdp.held-hidden-states", why, shape, plan.precision.compute)


def whole_gradients(plan: Plan, elements: int) -> Term:
    """Gradients of ``elements`` trained weights under ``no_sync``."""
    elements, size = pick(plan).unreduced_gradients(plan, elements)
    why = plan.because("grad_accum", "sync_each_batch", "shard")
    return tensor(Bucket.GRADIENTS, "gradients.unsharded-earlier-batches", why, (("gradient", elements),), size)


def gradient_of_the_unit(plan: Plan) -> Iterator[Term]:
    """The gradient that a layer's backward makes before it is added to the earlier ones."""
    if plan.accumulation.unreduced and (plan.full or pick(plan).flat_blocks):
        why, shape = plan.because("grad_accum", "shard"), (("gradient", plan.shape.layer_total),)
        yield tensor(Bucket.GRADIENTS, "gradients.of-this-layer", why, shape, plan.precision.compute)


def root_reduction(plan: Plan) -> Iterator[Term]:
    """FSDP reduces the root unit last: its unsharded gradients and the input of the reduce-scatter. That is of the compute dtype
    unless a setting or the code says otherwise."""
    if not plan.sharding.is_fsdp or not plan.full:
        return
    root, size = plan.shape.root, plan.precision.compute
    asked = plan.sharding.reduce_bytes or pick(plan).reduce_scatter_bytes(plan)
    reduced = asked if plan.sharding.kind == "fsdp2" else size
    why = plan.because("shard", "wrap", "reduce_dtype")
    yield tensor(Bucket.GRADIENTS, "gradients.unsharded-root", why, (("gradient", root),), size)
    yield tensor(Bucket.BUFFERS, "reduce-scatter.root-input", why, (("gradient", root),), reduced)
