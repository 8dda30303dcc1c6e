"""What a verdict depends on is said as the setting that would close it."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.base.units import GIB
from budgetlint.memory.peak import Sums
from budgetlint.memory.planner import Planned
from budgetlint.memory.standing import Capacity
from budgetlint.memory.unstated import by_plans, each
from budgetlint.resolve.runs import judge_texts


def test_whole_gradients_are_those_of_a_run_that_does_not_sync_each_batch() -> None:
    """1.5 B parameters on four ranks: whole bf16 gradients are 2.88 GiB, a shard of them 0.72."""
    budget = "device 4x 24GiB; model qwen2.5-1.5b; precision bf16; optimizer adamw; batch 1; seq 256; recompute full; shard fsdp"
    plan = judge_texts({}, budget=budget).runs[0].plan
    assert plan is not None
    plans = tuple(replace(plan, accum=2, accumulation=replace(plan.accumulation, unreduced=whole)) for whole in (True, False))
    sums, capacity = Sums(), Capacity(24 * GIB, 24 * GIB)
    whole, sharded = each(Planned(plans, (), ()), capacity, sums)
    limit = whole.need.low - 1  # the one does not fit for certain, the other may
    assert whole.need.bytes - sharded.need.bytes > 2 * GIB
    answers = list(each(Planned(plans, (), ()), Capacity(limit, limit, reserve=0), sums))
    name, readings = by_plans(Planned(plans, (), ()), answers)
    assert name == "sync_each_batch"
    assert [reading.values for reading in readings] == [("false",), ("true",)]
