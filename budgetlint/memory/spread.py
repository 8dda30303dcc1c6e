"""Where the true figure of a phase may lie: how far its estimate can be off, and why."""

from __future__ import annotations

from budgetlint.memory import compiled, evaluation, loss, roles, rollouts
from budgetlint.memory.code import pick
from budgetlint.memory.estimate import Phase
from budgetlint.memory.need import PPM
from budgetlint.memory.plan import Plan
from budgetlint.memory.term import Bucket

BASE_SPREAD = 10_000
"""What small tensors, inputs, rounding to 512 B and unsplit block remainders add (0.2 %, torch c10/core/AllocatorConfig.h), and
what kernels take inside: 1 % either way. Stated, not fitted."""

COMPILED = 400_000
"""Where the true figure of a compiled run may lie whose layer was not traced: the partitioner's cut depends on the graph (torch 2.13
_functorch/partitioners.py), so up to 40 % of the activations either way. Stated, not fitted."""

TRACED = 30_000
"""The same where it was (`compiled.knows`): nine in ten of the traced peaks, and every measured run whose code is known, lie within 3 % of
activations and logits (``benchmarks/compiled_rows.py``)."""


def ends(plan: Plan, phase: Phase) -> tuple[int, int]:
    """The least and the most that one phase can be."""
    traced = plan.compile and compiled.knows(plan)
    moving, own = _moving(plan, phase, traced), phase.bytes - rollouts.share_in(plan, phase.name)
    spread = (
        moving * (TRACED if traced else pick(plan).basis(plan).spread_ppm) // PPM + own * BASE_SPREAD // PPM + _buffer_spread(plan, phase)
    )
    saving = moving * COMPILED // PPM if plan.compile and not traced else 0
    less, more = rollouts.unsure_share(plan, phase.name)
    unsure = rollouts.may_be_less(plan, phase) + roles.may_be_less(plan, phase) + evaluation.may_be_less(phase) + less
    more += loss.may_be_more(plan, phase.name) + evaluation.may_be_more(plan, phase) + (compiled.may_be_more(plan, phase) if traced else 0)
    return phase.bytes - spread - saving - _evictable(plan, phase) - unsure, phase.bytes + spread + saving + more


def _moving(plan: Plan, phase: Phase, traced: bool) -> int:
    """What the family's spread is taken of: activations, and under model code that nobody measured the loss too (Megatron-LM
    tensor_parallel/cross_entropy.py works in place)."""
    return phase.buckets[Bucket.ACTIVATIONS] + (0 if pick(plan).measured and not traced else phase.buckets[Bucket.LOGITS])


def _evictable(plan: Plan, phase: Phase) -> int:
    """Paged states live in managed memory: under pressure the driver moves them to the host, slowly, instead of failing."""
    return phase.buckets[Bucket.OPTIMIZER] if plan.optimizer.paged else 0


def _buffer_spread(plan: Plan, phase: Phase) -> int:
    """Collective buffers depend on the moment of overlap: a fifth either way."""
    sharded = plan.sharding.kind not in ("none",)
    return (phase.buckets[Bucket.BUFFERS] - rollouts.share_in(plan, phase.name)) // 5 if sharded else 0


def masked(plan: Plan) -> int:
    """A batch of several unpacked sequences may be padded: the mask turns flash attention off and is kept per layer."""
    if plan.attention != "flash" or (plan.batch or 1) == 1 or plan.origins.get("packing") or plan.origins.get("attention"):
        return 0
    layers = 1 if plan.recompute.on else plan.shape.layers
    arch, size = plan.arch, plan.precision.compute
    return layers * plan.tokens * (size * plan.length + 2 * size * (arch.q_width - arch.kv_width))
