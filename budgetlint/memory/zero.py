"""What DeepSpeed's engine holds beside a model, as lines of the bill: its buckets, gathered parameters, the flat copies of a step.

Where each comes from and goes: `zero_reduce.py`, `zero_live.py`. The step (deepspeed 0.19.8; 0.16.9 and 0.18.2 alike): the norm of each
gradient is taken in fp64, 8 bytes an element of the largest (stage_1_and_2.py and stage3.py ``get_grad_norm_direct``; ``.double()`` before
0.19); then a rank's gradients are copied flat and that copy cast to fp32, beside the gradients (``step``: ``flatten(…).to(…)``; stage3.py
``_prepare_fp32_grad_for_sub_group``, one ``sub_group_size`` at a time); with those the optimizer steps. The master copy is fp32 of whatever
trains, of fp32 weights and adapters too (``single_partition_of_fp32_groups``, ``fp32_partitioned_groups_flat``).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.memory.plan import Plan
from budgetlint.memory.static import Trainable, master_size, split
from budgetlint.memory.term import Bucket, Term, tensor
from budgetlint.memory.zero_live import Course, LiveParameters, course
from budgetlint.memory.zero_reduce import HeldGradients, Layout, layout, mask_bytes
from budgetlint.memory.zero_tensors import trained, units_of

_WHY = ("zero_bucket", "zero_overlap", "shard")


def gradient_size(plan: Plan) -> int:
    """Bytes of an element of a gradient, and of the buckets."""
    return plan.adapter.dtype if plan.adapter is not None else plan.precision.grads


def order_of(plan: Plan, train: Trainable) -> Layout:
    return layout(trained(plan, train), plan.sharding.states_over)


def course_of(plan: Plan, train: Trainable) -> Course:
    return course(plan, trained(plan, train), gradient_size(plan))


# -- what stands all the time ------------------------------------------------------------------------------------------


def resting(plan: Plan, train: Trainable) -> Iterator[Term]:
    """Stage 3 makes its bucket and the partition of all gradients (``grad_partitions_flat_buffer``) at the start (stage3.py
    ``_setup_for_real_optimizer``). Stages 1 and 2 with an optimizer on the host have a buffer of the largest gradient
    (``temp_grad_buffer_for_gpu_offload``)."""
    sharding, size = plan.sharding, gradient_size(plan)
    if sharding.kind == "zero3":
        yield from bucket(plan)
        if not sharding.offload_optimizer:
            shape, over = (("gradient", train.elements),), sharding.grads_over
            yield tensor(Bucket.GRADIENTS, "deepspeed.gradient-partition", plan.because("shard"), shape, size, ranks=over)
    elif sharding.offload_optimizer:
        largest = max((count for _, count in order_of(plan, train).tensors), default=0)
        yield tensor(
            Bucket.BUFFERS, "deepspeed.gradient-on-its-way", plan.because("offload_optimizer", "shard"), (("gradient", largest),), size
        )


def bucket(plan: Plan) -> Iterator[Term]:
    """One contiguous reduce bucket at its full size however few parameters train, two where stages 1 and 2 overlap communication."""
    zero = plan.sharding.zero
    if zero.contiguous:
        shape = (("bucket", 2 if zero.overlap and plan.sharding.kind != "zero3" else 1), ("element", zero.reduce_bucket))
        yield tensor(Bucket.BUFFERS, "deepspeed.reduce-bucket", plan.because(*_WHY), shape, gradient_size(plan))


def small(plan: Plan, train: Trainable) -> Iterator[Term]:
    """Tensors up to ``param_persistence_threshold`` elements are whole but while the optimizer steps (partition_parameters.py
    ``ds_persist``; stage3.py ``_partition_all_parameters``, ``_post_step``)."""
    small = plan.sharding.zero.persist
    found = [size for unit in units_of(plan.shape.arch) for module in unit.modules for size in module.tensors if size <= small]
    factors = [rows * columns * count for rows, columns, count in train.tensors if rows * columns <= small] if plan.adapter else []
    shape = (("parameter", sum(found) + sum(factors)),)
    yield tensor(Bucket.BUFFERS, "gathered.small-parameters", plan.because("zero_persistence", "shard"), shape, plan.precision.compute)


# -- while it runs -----------------------------------------------------------------------------------------------------


def gathered(plan: Plan, train: Trainable, live: LiveParameters) -> Iterator[Term]:
    """ZeRO-3's parameters at one moment, and its gradients."""
    yield from small(plan, train)
    why, size = plan.because("shard", "zero_max_live", "zero_prefetch"), plan.precision.compute
    if plan.quant is not None:  # what is packed is gathered packed
        size = min(size, -(-plan.quant.bytes_num // plan.quant.bytes_den))
    yield tensor(Bucket.BUFFERS, "gathered.parameters", why, (("parameter", live.parameters),), size)
    yield tensor(Bucket.BUFFERS, "gathered.flat-buffers", why, (("parameter", live.buffers),), size)
    yield from held(plan, live.gradients)


def held(plan: Plan, now: HeldGradients) -> Iterator[Term]:
    size, why = gradient_size(plan), plan.because("shard", "zero_bucket")
    yield tensor(Bucket.GRADIENTS, "gradients.own-partition", why, (("gradient", now.own),), size)
    yield tensor(Bucket.GRADIENTS, "gradients.not-reduced-yet", why, (("gradient", now.waiting),), size)
    yield tensor(Bucket.BUFFERS, "deepspeed.flat-copy-to-reduce", why, (("gradient", now.copy),), size)
    yield from norm(plan, now.wide)
    yield from masks(plan, now.masked)


def masks(plan: Plan, elements: int) -> Iterator[Term]:
    """What looking for overflow makes of a gradient before 0.19.8 reduced it at once (runtime/utils.py ``has_inf_or_nan``)."""
    yield tensor(Bucket.BUFFERS, "step.overflow-masks", plan.because("shard"), (("gradient", elements),), mask_bytes(gradient_size(plan)))


def norm(plan: Plan, elements: int) -> Iterator[Term]:
    yield tensor(Bucket.BUFFERS, "step.norm-fp64", plan.because("shard"), (("gradient", elements),), 8)


def bytes_of(plan: Plan, now: LiveParameters | HeldGradients) -> int:
    return now.bytes(plan.precision.compute, gradient_size(plan)) if isinstance(now, LiveParameters) else now.bytes(gradient_size(plan))


# -- the step ----------------------------------------------------------------------------------------------------------


def step(plan: Plan, train: Trainable) -> Iterator[tuple[str, tuple[Term, ...]]]:
    """Its moments: the norm, the flat copy and its cast, the update."""
    sharding, size = plan.sharding, gradient_size(plan)
    if sharding.offload_optimizer or not train.elements:
        yield "the update", ()
        return
    why, order, rank = plan.because("shard", "zero_sub_group"), order_of(plan, train), sharding.rank or 0
    master = master_size(plan)
    if sharding.kind == "zero3":
        own: tuple[Term, ...] = ()
        largest = max((split(count, sharding.states_over) for _, count in order.tensors), default=0)
        group = largest_group(plan, order)
    else:
        own = tuple(held(plan, HeldGradients(own=order.touching(rank))))
        largest, group = order.largest(rank), order.partition
    flat = tensor(Bucket.BUFFERS, "step.flat-gradients", why, (("gradient", group),), size)
    wide = tensor(Bucket.BUFFERS, "step.fp32-gradients", why, (("gradient", group),), master)
    if sharding.zero.masks and plan.precision.recipe.startswith("fp16"):
        yield "the overflow check", (*own, *masks(plan, largest))
    yield "the norm", (*own, *norm(plan, largest))
    yield "the cast", (*own, flat, wide) if size < master else (*own, flat)
    yield "the update", (wide, *_temporaries(plan, group, master))


def largest_group(plan: Plan, order: Layout) -> int:
    """Elements of the largest sub-group on a rank: closed by the tensor that reaches ``sub_group_size`` (stage3.py
    ``_create_fp16_sub_groups``); a size of 0 or one that nothing reaches makes one."""
    most = group = 0
    for _, count in order.tensors:
        group += split(count, plan.sharding.states_over)
        if plan.sharding.zero.sub_group and group >= plan.sharding.zero.sub_group:
            most, group = max(most, group), 0
    return max(most, group)


def _temporaries(plan: Plan, group: int, size: int) -> Iterator[Term]:
    """What the optimizer makes for one flat fp32 tensor (`static.step_temporaries`)."""
    implementation, why = plan.optimizer.impl or plan.optimizer_impl, plan.because("optimizer_impl", "optimizer", "shard")
    if implementation == "foreach" and plan.optimizer.step_temp:
        shape = (("element", int(group * plan.optimizer.step_temp)),)
        yield tensor(Bucket.BUFFERS, "step.foreach-temporaries", why, shape, size)
    elif implementation == "for-loop":
        yield tensor(Bucket.BUFFERS, "step.for-loop-temporaries", why, (("temporary", 2), ("element", group)), size)
