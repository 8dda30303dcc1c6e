"""Host memory: what offloading keeps there, per machine, over the processes of one."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import replace
from budgetlint.memory import static
from budgetlint.memory.estimate import Range
from budgetlint.memory.plan import Plan
from budgetlint.memory.static import Trainable


def host_bytes(plan: Plan, train: Trainable) -> Range:
    """Bytes in the host memory of one machine. The high end has a quarter more: data, page cache, the processes themselves, copies made
    while a checkpoint is read or written."""
    parts = list(_parts(plan, train))
    best, least = (-(-replicas(plan) * sum(part[index] for part in parts) // machines(plan)) for index in (0, 1))
    return Range(best, least, best + best // 4)


def replicas(plan: Plan) -> int:
    """Ranks that hold a part each of what DeepSpeed or FSDP splits; whatever else offloads is counted once. The ranks of tensor and
    pipeline parallelism hold one model together."""
    return plan.sharding.world if plan.sharding.is_zero or plan.sharding.is_fsdp else 1


def machines(plan: Plan) -> int:
    ranks = plan.ranks
    return _number(plan, "nodes") or -(-ranks // (_number(plan, "devices_per_node") or ranks))


def base_bytes(plan: Plan, train: Trainable) -> int:
    """All weights in the dtype and the packing that they train in, on one rank."""
    return sum(term.bytes for term in static.weights(replace(plan, sharding=replace(plan.sharding, offload_params=False)), train))


def _number(plan: Plan, name: str) -> int | None:
    setting = plan.origins.get(name)
    return int(setting.value) if setting is not None and setting.known and setting.value else None


def _parts(plan: Plan, train: Trainable) -> Iterator[tuple[int, int]]:
    """What one rank keeps on the host: the best figure and the least."""
    sharding = plan.sharding
    if sharding.is_zero:
        from budgetlint.memory.host_zero import zero_bytes  # few runs offload under ZeRO

        yield from zero_bytes(plan, train, base_bytes(plan, train))
    else:
        yield from ((count, count) for count in _sharded(plan, train))
    if plan.recompute.offload:
        from budgetlint.memory.activations import checkpoint_bytes, checkpointed_layers

        kept = checkpointed_layers(plan) * plan.tokens * checkpoint_bytes(plan) * (plan.sharding.world // replicas(plan))
        yield kept, kept


def _sharded(plan: Plan, train: Trainable) -> Iterator[int]:
    """torch FSDP ``CPUOffload`` (parameters, their gradients and the states that follow them) and Megatron's host optimizer."""
    sharding, over = plan.sharding, plan.sharding.states_over
    if sharding.offload_optimizer:
        gradients = plan.precision.grads if sharding.is_fsdp else 4
        yield static.split(static.states_of(plan, train) + train.elements * (plan.precision.master + gradients), over)
    if sharding.offload_params:
        yield base_bytes(plan, train)
