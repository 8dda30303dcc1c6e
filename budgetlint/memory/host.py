"""Host memory: what offloading puts there, per machine."""

from __future__ import annotations

from budgetlint.memory import static
from budgetlint.memory.estimate import Range
from budgetlint.memory.plan import Plan
from budgetlint.memory.static import Trainable


def host_bytes(plan: Plan, train: Trainable) -> Range:
    """Bytes in host memory over the ranks of one machine: optimizer states, fp32 master copy and gradients (ZeRO-Offload keeps
    16 bytes a parameter there, deepspeed/runtime/zero/stage_1_and_2.py), parameters where they are offloaded."""
    sharding, count = plan.sharding, 0
    if sharding.offload_optimizer:
        count += static.states_of(plan, train) + train.elements * (plan.precision.master + 4)
    if sharding.offload_params:
        count += plan.shape.total * plan.precision.weights
    if plan.recompute.offload:
        from budgetlint.memory.activations import checkpoint_bytes, checkpointed_layers

        count += sharding.world * checkpointed_layers(plan) * plan.tokens * checkpoint_bytes(plan)
    return Range(count, count, count + count // 4)
