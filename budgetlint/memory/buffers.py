"""Buffers: autocast weight copies, collective buckets, gathered parameters, dequantised weights, cuBLAS workspaces."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.context import CUBLAS_WORKSPACES, cublas_workspace
from budgetlint.memory.estimate import Bucket, Term
from budgetlint.memory.plan import Plan
from budgetlint.memory.static import Trainable

DDP_BUCKET = 25 * 2**20  # torch/nn/parallel/distributed.py: bucket_cap_mb=25; gradients are copied unless gradient_as_bucket_view


def casts(plan: Plan, train: Trainable, layers: int, *, head: bool) -> Iterator[Term]:
    """16-bit copies of fp32 weights that autocast makes: a leaf that trains is cast once and cached to the end of the
    forward; without checkpointing its backward holds the copy longer (torch ``autocast_mode.cpp``)."""
    precision, shape = plan.precision, plan.shape
    if not precision.autocast or plan.sharding.is_fsdp:
        return
    count, what = 0, "weights"
    if precision.weights == 4 and plan.quant is None:
        count = layers * shape.layer_linears + (shape.head_elements if head and plan.arch.kind == "decoder" else 0)
    elif plan.adapter is not None and plan.adapter.dtype == 4:
        count, what = train.elements * layers // max(shape.layers, 1), "adapter weights"
    if plan.quant is not None and plan.quant.upcast == "all" and head:
        count += shape.head_elements
    if count:
        yield Term(
            Bucket.BUFFERS,
            count * precision.compute,
            f"autocast copies of {count:,} {what} x {precision.compute} B",
            plan.because("autocast", "precision", "weights_dtype"),
        )


def layer_casts(plan: Plan, train: Trainable) -> int:
    return sum(term.bytes for term in casts(plan, train, 1, head=False))


def workspaces(plan: Plan) -> Iterator[Term]:
    """cuBLAS keeps a workspace per handle and stream inside the caching allocator; forward and autograd threads have one each."""
    size = cublas_workspace(plan.device)
    if size:
        yield Term(Bucket.BUFFERS, CUBLAS_WORKSPACES * size, f"{CUBLAS_WORKSPACES} cuBLAS workspaces x {size:,} B", plan.because("device"))


def dequantised(plan: Plan) -> Iterator[Term]:
    """bitsandbytes dequantises one weight at a time, the largest decides."""
    if plan.quant is None or plan.quant.kind == "int8":
        return
    largest = max((linear.inputs * linear.outputs for linear in plan.shape.layer), default=0)
    yield Term(
        Bucket.BUFFERS, largest * plan.quant.compute, f"one dequantised weight: {largest:,} x {plan.quant.compute} B", plan.because("quant")
    )


def data_parallel(plan: Plan, train: Trainable) -> Iterator[Term]:
    """Buffers that live as long as the run: DDP's gradient buckets, DeepSpeed's reduce bucket."""
    sharding = plan.sharding
    size = plan.adapter.dtype if plan.adapter is not None else plan.precision.grads
    if sharding.kind == "ddp":
        count = train.elements * size
        yield Term(
            Bucket.BUFFERS, count, f"DDP buckets: a copy of {train.elements:,} gradients x {size} B", plan.because("shard", "devices")
        )
    elif sharding.is_zero:
        yield from _zero_buckets(plan, train, size)


def _zero_buckets(plan: Plan, train: Trainable, size: int) -> Iterator[Term]:
    """deepspeed/runtime/zero/stage_1_and_2.py and stage3.py, 0.19.6: one contiguous reduce bucket, two when communication
    overlaps."""
    sharding, zero = plan.sharding, plan.sharding.zero
    if zero.contiguous:
        count = min(zero.reduce_bucket, train.elements) * (2 if zero.overlap and sharding.kind != "zero3" else 1)
        yield Term(
            Bucket.BUFFERS,
            count * size,
            f"DeepSpeed reduce bucket{'s' if zero.overlap else ''}: {count:,} elements x {size} B",
            plan.because("zero_bucket", "zero_overlap", "shard"),
        )


def gathered(plan: Plan, *, root: bool) -> Iterator[Term]:
    """Parameters gathered from their shards while layers run."""
    sharding, shape = plan.sharding, plan.shape
    if sharding.params_over == 1 and not sharding.offload_params:
        return
    size = plan.quant.bytes_num / plan.quant.bytes_den if plan.quant is not None else float(plan.precision.compute)
    if sharding.is_fsdp:
        units = shape.layers if not sharding.reshard else (2 if sharding.kind == "fsdp2" else 1)
        count = int(shape.layer_total * size) * units
        yield Term(
            Bucket.BUFFERS,
            count,
            f"{units} gathered layer{'s' if units > 1 else ''} of {shape.layer_total:,} parameters",
            plan.because("shard", "reshard_after_forward", "wrap"),
        )
        if root:
            yield Term(
                Bucket.BUFFERS,
                shape.root * plan.precision.compute,
                f"gathered root unit (embeddings, head): {shape.root:,} x {plan.precision.compute} B",
                plan.because("shard", "wrap"),
            )
    else:
        live = min(
            sharding.zero.max_live,
            shape.layer_total + min(sharding.zero.prefetch, shape.layer_total) + (shape.head_elements if root else 0),
        )
        yield Term(
            Bucket.BUFFERS,
            live * plan.precision.compute,
            f"gathered parameters: {live:,} x {plan.precision.compute} B",
            plan.because("shard", "zero_max_live", "zero_prefetch"),
        )


def root_reduction(plan: Plan) -> Iterator[Term]:
    """FSDP reduces the root unit last: its gathered parameters, their gradients, and the fp32 input of the reduce-scatter."""
    if not plan.sharding.is_fsdp or not plan.full:
        return
    root, size = plan.shape.root, plan.precision.compute
    yield Term(Bucket.BUFFERS, root * size, f"gathered root unit: {root:,} x {size} B", plan.because("shard", "wrap"))
    yield Term(Bucket.GRADIENTS, root * size, f"unsharded root gradients: {root:,} x {size} B", plan.because("shard", "wrap"))
    yield Term(Bucket.BUFFERS, root * 4, f"fp32 reduce-scatter input of the root unit: {root:,} x 4 B", plan.because("shard", "wrap"))
