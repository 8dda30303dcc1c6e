"""Buffers: autocast weight copies, collective buckets, gathered parameters, dequantised weights, cuBLAS workspaces."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.context import CUBLAS_WORKSPACES, cublas_workspace
from budgetlint.memory import zero
from budgetlint.memory.mixture import folded_weights
from budgetlint.memory.plan import Plan
from budgetlint.memory.static import Trainable
from budgetlint.memory.term import Bucket, Term, tensor

WORKSPACES = "cublas.workspaces"


def casts(plan: Plan, train: Trainable, layers: int, *, head: bool) -> Iterator[Term]:
    """16-bit copies of fp32 weights that autocast makes: a leaf that trains is cast once and cached to the end of the
    forward; without checkpointing its backward holds the copy longer (torch ``autocast_mode.cpp``)."""
    precision, shape = plan.precision, plan.shape
    if not precision.autocast or plan.sharding.is_fsdp:
        return
    count, whose = 0, "weights"
    if precision.weights == 4 and plan.quant is None:
        count = layers * shape.layer_linears + (shape.head_elements if head and plan.makes_logits else 0)
    elif plan.adapter is not None and plan.adapter.dtype == 4:
        count, whose = train.elements * layers // max(shape.layers, 1), "adapters"
    if plan.quant is not None and plan.quant.upcast == "all" and head:
        count += shape.head_elements
    if count:
        why = plan.because("autocast", "precision", "weights_dtype")
        yield tensor(Bucket.BUFFERS, f"autocast.copies-of-{whose}", why, (("weight", count),), precision.compute)


def folded_experts(plan: Plan, layers: int) -> Iterator[Term]:
    """Second copies of the stacked experts of ``layers`` layers, with the adapter's update folded in."""
    count = layers * folded_weights(plan) if plan.adapter is not None and not (plan.expert_loop or plan.accumulation.one_buffer) else 0
    if count:
        size = plan.precision.compute if plan.quant is not None else plan.precision.weights
        yield tensor(Bucket.BUFFERS, "adapter.folded-experts", plan.because("lora_targets", "adapter"), (("weight", count),), size)


def workspaces(plan: Plan) -> Iterator[Term]:
    """cuBLAS keeps a workspace per handle and stream inside the caching allocator; forward and autograd threads have one each."""
    size = cublas_workspace(plan.device)
    if size:
        yield tensor(Bucket.BUFFERS, WORKSPACES, plan.because("device"), (("workspace", CUBLAS_WORKSPACES), ("byte", size)), 1)


def dequantised(plan: Plan) -> Iterator[Term]:
    """bitsandbytes dequantises one weight at a time, the largest decides."""
    if plan.quant is None or plan.quant.kind == "int8":
        return
    largest = max((linear.inputs * linear.outputs for linear in plan.shape.layer), default=0)
    yield tensor(Bucket.BUFFERS, "quantised.one-dequantised-weight", plan.because("quant"), (("weight", largest),), plan.quant.compute)


def data_parallel(plan: Plan, train: Trainable) -> Iterator[Term]:
    """Buffers that live as long as the run: DDP's gradient buckets (torch/nn/parallel/distributed.py: copies, unless
    ``gradient_as_bucket_view``), DeepSpeed's reduce bucket."""
    sharding = plan.sharding
    size = plan.adapter.dtype if plan.adapter is not None else plan.precision.grads
    if sharding.kind == "ddp" and not plan.accumulation.one_buffer:
        yield tensor(Bucket.BUFFERS, "ddp.buckets", plan.because("shard", "devices"), (("gradient", train.elements),), size)
    elif sharding.is_zero:
        yield from _secondary(plan)
        yield from zero.resting(plan, train) if plan.runs_deepspeed else _zero_buckets(plan, size)
        yield from _low_gradients(plan, train)


def _low_gradients(plan: Plan, train: Trainable) -> Iterator[Term]:
    """DeepSpeed's BF16_Optimizer (0.18.6 engine.py: bf16 with fp32 accumulation at stage 1 without offload; bf16_optimizer.py): each
    backward makes 16-bit gradients, which are then added to a whole fp32 buffer and zeroed in place, not freed."""
    engine = not plan.accumulation.one_buffer or "zero_bucket" in plan.origins or plan.parallel.sent
    if plan.has_bf16_optimizer and engine:
        why = plan.because("grads_dtype", "shard", "precision")
        yield tensor(Bucket.BUFFERS, "deepspeed.16-bit-gradients", why, (("gradient", train.elements),), 2)


def _secondary(plan: Plan) -> Iterator[Term]:
    """ZeRO++'s second copy of the 16-bit parameters."""
    sharding, over = plan.sharding, plan.sharding.zero.secondary
    if over > 1 and sharding.kind == "zero3" and not sharding.offload_params:
        why, whole = plan.because("zero_secondary", "shard"), (("parameter", plan.shape.total),)
        yield tensor(Bucket.BUFFERS, "deepspeed.secondary-copy", why, whole, plan.precision.compute, ranks=over)


def _zero_buckets(plan: Plan, size: int) -> Iterator[Term]:
    """deepspeed/runtime/zero/stage_1_and_2.py and stage3.py, 0.19.6: one contiguous reduce bucket, two when communication
    overlaps, each at its full size however few parameters train."""
    sharding, buckets = plan.sharding, plan.sharding.zero
    if plan.accumulation.one_buffer and "zero_bucket" not in plan.origins:
        return
    if buckets.contiguous:
        why = plan.because("zero_bucket", "zero_overlap", "shard")
        shape = (("bucket", 2 if buckets.overlap and sharding.kind != "zero3" else 1), ("element", buckets.reduce_bucket))
        yield tensor(Bucket.BUFFERS, "deepspeed.reduce-bucket", why, shape, size)
