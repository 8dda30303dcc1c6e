"""Tensors of the sharding engines: flat partitions, gathered units, buckets.

Sources: DeepSpeed 0.19.6 runtime/zero/stage_1_and_2.py (``bit16_groups_flat`` whole, ``single_partition_of_fp32_groups`` of one rank,
``ipg_buffer`` of ``reduce_bucket_size``), stage3.py (``fp16_partitioned_groups_flat``, sub-groups of ``sub_group_size``),
partition_parameters.py (a module's parameters gathered one by one or, coalesced, in one flat tensor); torch 2.13
distributed/fsdp/_flat_param.py (one flat parameter a unit, padded to the ranks), _fully_shard/_fsdp_collectives.py
(``all_gather_output``, ``reduce_scatter_input``).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.memory.plan import Plan
from budgetlint.memory.static import split, trainable
from budgetlint.oom.tensor import Tensor, sized
from budgetlint.oom.tensors_of_weights import weights_of

_SHARD = ("shard", "devices", "model")


def of_shards(plan: Plan) -> Iterator[Tensor]:
    if plan.sharding.is_zero:
        yield from _zero(plan)
    if plan.sharding.is_fsdp:
        yield from _fsdp(plan)
    if plan.sharding.is_zero and plan.sharding.params_over > 1:
        yield from _gathered(plan)


def _flat(plan: Plan, count: int, size: int, over: int, what: str, kind: str, phase: str, planned: bool = True) -> Tensor:
    ranks = f" / {over} ranks" if over > 1 else ""
    return Tensor(
        split(count, over) * size,
        what,
        f"{sized(count, size)}{ranks}",
        kind,
        phase,
        plan.because(*_SHARD),
        planned=planned,
        size=0 if over > 1 else size,
    )


def _zero(plan: Plan) -> Iterator[Tensor]:
    sharding, zero, count = plan.sharding, plan.sharding.zero, trainable(plan).elements
    over, size = sharding.states_over, plan.precision.compute
    group = min(split(count, over), zero.sub_group) if sharding.kind == "zero3" else split(count, over)
    here = not sharding.offload_optimizer
    for what, phase in (
        ("fp32 master weights of this rank", "load"), ("an fp32 optimizer state of this rank", "load"),
        ("an fp32 optimizer state of this rank", "step"), ("fp32 gradients of this rank for the update", "step"),
    ):  # fmt: skip
        kind = "flat" if phase == "load" else "state"
        more = 4 * split(trainable(plan).largest, over) if group == zero.sub_group else 0
        arithmetic = f"{sized(group, 4)}{f' of {count:,} / {over} ranks' if over > 1 else ''}"
        yield Tensor(group * 4, what, arithmetic, kind, phase, plan.because(*_SHARD), planned=here, up_to=group * 4 + more)
    yield _flat(plan, count, size, sharding.params_over, "the 16-bit weights in one flat buffer", "flat", "load")
    for width in dict.fromkeys((4, size)):
        yield _flat(plan, count, width, over, "gradients of this rank, flat, for the update", "flat", "step", here)
    yield _flat(plan, count, size, sharding.grads_over, "gradients of this rank", "flat", "backward")
    why = plan.because("zero_bucket", "shard")
    for width in dict.fromkeys((size, 4)):
        for bucket, name in ((zero.reduce_bucket, "reduce"), (zero.allgather_bucket, "all-gather")):
            yield Tensor(
                bucket * width,
                f"DeepSpeed {name} bucket",
                f"{bucket:,} elements x {width} B",
                "bucket",
                "backward",
                why,
                planned=width == size,
                size=width,
            )


def _gathered(plan: Plan) -> Iterator[Tensor]:
    why, size = plan.because(*_SHARD), plan.precision.compute
    for weight in weights_of(plan.shape):
        for phase in ("forward", "backward", "load", "rollout"):
            arithmetic = f"{weight.elements:,} weights x {size} B"
            yield Tensor(weight.elements * size, f"{weight.what}, gathered", arithmetic, "gathered", phase, why, size=size)


def _fsdp(plan: Plan) -> Iterator[Tensor]:
    shape, over = plan.shape, plan.sharding.states_over
    units = ((shape.layer_total, "one layer"), (shape.root, "the root unit (embeddings, head)"), (shape.total, "the whole model"))
    for count, name in units:
        wrapped = count != shape.total
        for size in dict.fromkeys((plan.precision.compute, 4)):
            usual = wrapped and size == plan.precision.compute
            for phase in ("forward", "backward"):
                yield _flat(plan, count, size, 1, f"parameters of {name}, gathered", "gathered", phase, usual)
            yield _flat(plan, count, size, 1, f"gradients of {name} before they are reduced", "bucket", "backward", usual)
            yield _flat(plan, count, size, over, f"this rank's part of {name}", "flat", "load", wrapped)
            yield _flat(plan, count, size, 1, f"flat parameter of {name}", "flat", "load", wrapped)
        if plan.full:
            yield _flat(plan, count, 4, over, f"an optimizer state of this rank's part of {name}", "state", "step", wrapped)
    for weight in weights_of(shape):
        for phase in ("load", "save"):
            yield _flat(plan, weight.elements, plan.precision.weights, 1, f"{weight.what}, whole", "gathered", phase)
