"""What DeepSpeed keeps on the host, per rank.

Read in 0.14.4, 0.18.6 and 0.19.8 (`runtime/zero/`). Stage 3 (`stage3.py`): fp32 master copies of the partitions
(`_create_fp32_partitions`: a converted clone), fp32 gradients for CPU Adam (`initialize_optimizer_states`), its two moments
(`ops/adam/cpu_adam.py`), gradients in the training dtype (`grad_partitions_flat_buffer`), with offloaded parameters their flat copy
(`_create_param_groups_fp16_flat_cpu_memory`): 20 bytes a parameter. Stages 1 and 2 (`stage_1_and_2.py`): master copy, its gradient,
moments.

Page-locked memory costs more: torch rounds each block up to a power of two and never gives one back
(pytorch/pytorch#95823, #150517). The partitions that `zero.Init` pinned stay so after they moved into the flat copy
(`_move_to_flat_buffer`).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.ledger import weight_tensors
from budgetlint.memory import static
from budgetlint.memory.plan import Plan
from budgetlint.memory.static import Trainable

SWAP_BUFFERS = 4
"""Of the largest group, for the NVMe optimizer (`offload_config.py` ``buffer_count``), beside the gradient buffer of that size."""


def zero_bytes(plan: Plan, train: Trainable, base: int) -> Iterator[tuple[int, int]]:
    """``base``: bytes of this rank's weights. Each part as the best figure and the least."""
    if plan.sharding.kind == "zero3":
        yield from _parameters(plan, train, base)
        yield from _optimizer_of_stage_3(plan, train)
    elif plan.sharding.offload_optimizer:
        yield from _optimizer_of_stage_2(plan, train)


def block(size: int) -> int:
    """Page-locked bytes that torch takes for ``size``: the next power of two."""
    return 1 << (size - 1).bit_length() if size > 0 else 0


def _place(plan: Plan, name: str) -> str:
    setting = plan.origins.get(name)
    return str(setting.value) if setting is not None and setting.known else "cpu"


def _pinned(plan: Plan, name: str) -> bool:
    """Only what is known to be page-locked: DeepSpeed's own default is off before 0.19.5."""
    setting = plan.origins.get(name)
    return setting is not None and setting.value is True


def _held(size: int, *, pinned: bool) -> tuple[int, int]:
    return (block(size), block(size)) if pinned else (size, size)


def _parameters(plan: Plan, train: Trainable, base: int) -> Iterator[tuple[int, int]]:
    if not plan.sharding.offload_params or _place(plan, "offload_params") != "cpu":
        return
    own = static.split(train.elements, plan.sharding.params_over)
    size = plan.precision.weights if plan.full else plan.adapter.dtype if plan.adapter else 2
    yield _held(own * size, pinned=True)  # whatever the configuration says
    frozen = max(0, base - own * size)
    if not _pinned(plan, "pin_params") or plan.quant is not None:
        yield frozen, frozen
        return
    blocks = sum(block(part * plan.precision.weights) for part in _partitions(plan, plan.sharding.params_over))
    yield max(blocks, frozen), max(blocks, frozen)


def _optimizer_of_stage_3(plan: Plan, train: Trainable) -> Iterator[tuple[int, int]]:
    if not plan.sharding.offload_optimizer:
        return
    over, copy = plan.sharding.states_over, _copy(plan)
    own, gradients = static.split(train.elements, over), plan.precision.grads
    if _place(plan, "offload_optimizer") == "nvme":
        swapped = (SWAP_BUFFERS + 1) * min(own, plan.sharding.zero.sub_group) * copy
        yield own * gradients + swapped, own * gradients + swapped
        return
    yield _held(own * gradients, pinned=_pinned(plan, "pin_optimizer"))
    states = static.split(static.states_of(plan, train), over) + own * copy
    best, least = _gradients_of_groups(plan, own)
    yield int((states + best) * _share(plan)), int((states + least) * _share(plan))


def _gradients_of_groups(plan: Plan, own: int) -> tuple[int, int]:
    """The fp32 gradients of the CPU optimizer, a block for each sub-group."""
    copy = _copy(plan)
    if not _pinned(plan, "pin_optimizer"):
        return own * copy, own * copy
    groups, full = list(_groups(plan, own)), plan.sharding.zero.sub_group * copy
    return (
        sum(block(group * copy) for group in groups),
        sum(max(group * copy, min(block(group * copy), block(full))) for group in groups),
    )


def _share(plan: Plan) -> float:
    """The part of the sub-groups that steps on the host (`stage3.py` ``subgroup_to_device``, ZeRO-Offload++)."""
    setting = plan.origins.get("offload_ratio")
    return min(1.0, max(0.0, float(setting.value))) if setting is not None and setting.known and setting.value is not None else 1.0


def _optimizer_of_stage_2(plan: Plan, train: Trainable) -> Iterator[tuple[int, int]]:
    """With accumulation the gradients of earlier micro batches wait there too; from 0.18 on a 16-bit buffer for the way back."""
    own, copy, pinned = static.split(train.elements, plan.sharding.states_over), _copy(plan), _pinned(plan, "pin_optimizer")
    states = static.split(static.states_of(plan, train), plan.sharding.states_over)
    waiting = own * plan.precision.grads if plan.accum > 1 else 0
    yield states + waiting + own * plan.precision.weights, states + waiting
    yield from (_held(own * copy, pinned=pinned) for _ in ("master copy", "its gradient"))


def _copy(plan: Plan) -> int:
    """Bytes of an element of the master copy, which DeepSpeed makes even of fp32 weights."""
    return static.master_size(plan)


def _groups(plan: Plan, own: int) -> Iterator[int]:
    """Elements of each sub-group (`_create_fp16_sub_groups`): closed by the parameter that reaches the size."""
    size, group = plan.sharding.zero.sub_group, 0
    if size >= own or not plan.full:
        yield own
        return
    for part in _partitions(plan, plan.sharding.states_over):
        group += part
        if group >= size:
            yield group
            group = 0
    yield group


def _partitions(plan: Plan, over: int) -> Iterator[int]:
    """Elements of each weight on one rank, in the order of the model; small ones together."""
    layers: dict[str, list[int]] = {}
    counts: dict[str, int] = {}
    after = []
    for tensor in weight_tensors(plan.arch):
        part = static.split(tensor.numel, over)
        if tensor.layers:
            layers.setdefault(tensor.where, []).extend([part] * tensor.per_layer)
            counts[tensor.where] = max(counts.get(tensor.where, 0), tensor.layers)
        elif layers:
            after.append(part)
        else:
            yield part
    for where, parts in layers.items():
        yield from parts * counts[where]
    yield from after
