"""What sharding adds while layers run: gathered parameters, unsharded gradients on their way, the root unit.

Sources: torch 2.13 distributed/fsdp/_runtime_utils.py (FSDP1) and _fully_shard/_fsdp_param_group.py (FSDP2); DeepSpeed 0.19.6
runtime/zero/partitioned_param_coordinator.py. A traced FSDP2 step (Llama-3.1-8B on 8 ranks) and 137 measured FSDP1 rows agree
with them (`docs/accuracy.md`).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.memory.code import pick
from budgetlint.memory.estimate import Bucket, Term
from budgetlint.memory.plan import Plan

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
    shape, size = plan.shape, plan.precision.compute
    yield Term(Bucket.BUFFERS, shape.root * size, f"gathered root unit (embeddings, head): {shape.root:,} x {size} B", plan.because(*_WHY))
    if not layers:
        return
    count = shape.layer_total * size
    if plan.quant is not None:
        packed = plan.quantised_weights
        count = packed * plan.quant.bytes_num // plan.quant.bytes_den + (shape.layer_total - packed) * size
    yield Term(
        Bucket.BUFFERS,
        count * layers,
        f"{layers} gathered layer{'s' * (layers > 1)} of {shape.layer_total:,} parameters",
        plan.because(*_WHY),
    )


def _zero_live(plan: Plan) -> Iterator[Term]:
    """Stage 3 keeps a module's parameters and what it prefetches, at most ``max_live``."""
    shape, zero, size = plan.shape, plan.sharding.zero, plan.precision.compute
    live = min(zero.max_live, shape.layer_total + min(zero.prefetch, shape.layer_total) + shape.head_elements)
    why = plan.because("shard", "zero_max_live", "zero_prefetch")
    yield Term(Bucket.BUFFERS, live * size, f"gathered parameters: {live:,} x {size} B", why)


def backward_layers(plan: Plan) -> int:
    """Layer units gathered while one layer runs backward: FSDP2 prefetches the next, in FSDP1 no second one is seen."""
    return 2 if plan.sharding.kind == "fsdp2" else 1


def held_outputs(plan: Plan) -> Iterator[Term]:
    """FSDP1 over frozen layers with reentrant checkpointing: hidden states of all but two layers stay until the first layer
    has run backward (reproduced on gloo with torch 2.14: not with use_reentrant=False, not with FSDP2, not when all trains)."""
    if plan.sharding.kind != "fsdp" or plan.full or not plan.recompute.reentrant or plan.recompute.kind != "full":
        return
    layers = max(plan.shape.layers - 2, 0)  # of one layer there are not two to leave out
    size = plan.precision.compute * plan.arch.hidden
    why = plan.because("recompute_reentrant", "shard", "recompute")
    yield Term(
        Bucket.ACTIVATIONS,
        layers * plan.tokens * size,
        f"{layers} hidden states that FSDP1 holds: {plan.tokens:,} tokens x {size:,} B",
        why,
    )


def whole_gradients(plan: Plan, elements: int) -> Term:
    """Gradients of ``elements`` trained weights under ``no_sync``."""
    elements, size = pick(plan).unreduced_gradients(plan, elements)
    return Term(
        Bucket.GRADIENTS,
        elements * size,
        f"unsharded gradients of earlier micro batches (no_sync): {elements:,} x {size} B",
        plan.because("grad_accum", "sync_each_batch", "shard"),
    )


def gradient_of_the_unit(plan: Plan) -> Iterator[Term]:
    """The gradient that a layer's backward makes before it is added to the earlier ones."""
    if plan.accumulation.unreduced and (plan.full or pick(plan).flat_blocks):
        count, size = plan.shape.layer_total, plan.precision.compute
        yield Term(
            Bucket.GRADIENTS, count * size, f"this layer's gradient on top: {count:,} x {size} B", plan.because("grad_accum", "shard")
        )


def root_reduction(plan: Plan) -> Iterator[Term]:
    """FSDP reduces the root unit last: its unsharded gradients and the input of the reduce-scatter. That is of the compute dtype
    unless a setting or the code says otherwise."""
    if not plan.sharding.is_fsdp or not plan.full:
        return
    root, size = plan.shape.root, plan.precision.compute
    asked = plan.sharding.reduce_bytes or pick(plan).reduce_scatter_bytes(plan)
    reduced = asked if plan.sharding.kind == "fsdp2" else size
    why = plan.because("shard", "wrap", "reduce_dtype")
    yield Term(Bucket.GRADIENTS, root * size, f"unsharded root gradients: {root:,} x {size} B", why)
    yield Term(Bucket.BUFFERS, root * reduced, f"reduce-scatter input of the root unit: {root:,} x {reduced} B", why)
