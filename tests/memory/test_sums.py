"""Sums of plans that runs and readings share: what a plan comes to by itself, and a standing that is the estimate's own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from budgetlint.base.record import fields, replace
from budgetlint.memory.estimate import Estimate
from budgetlint.memory.estimator import estimate
from budgetlint.memory.peak import ELSEWHERE, Sums, figures_of, peak_of, sum_of
from budgetlint.memory.plan import Plan
from budgetlint.memory.planner import Planned, plan_run
from budgetlint.memory.standing import Capacity, standing
from budgetlint.resolve import judged_runs
from budgetlint.rules_api.context import RunContext

GIB = 2**30
BUDGETS = (
    "device a100-80gb; model llama-3.1-8b; seq 4096; batch 2; lora r=16",
    "device a100-80gb; model llama-3.1-8b; seq 4096; batch 2; lora r=16; quant nf4; recompute full; attention eager",
    "device 8x 24GiB; model qwen2.5-7b; seq 2048; batch 4; optimizer adamw; shard zero3",
    "device 8x 80GiB; model mixtral-8x7b; seq 2048; batch 1; shard fsdp; precision bf16",
    "device h100-80gb; model qwen2.5-1.5b; seq 1024; batch 4; recompute none",
    "device h100-80gb; model bert-large; seq 512; batch 16",
)


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch, run_of: Callable[[str], RunContext]) -> Callable[[str], Planned]:
    """The plans of a budget, of which versions are open."""
    made: list[Planned] = []

    def kept(*asked: object) -> Planned:
        made.append(plan_run(*asked))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(judged_runs, "plan_run", kept)

    def of(text: str) -> Planned:
        made.clear()
        run_of(text)
        return made[0]

    return of


@pytest.mark.parametrize("text", BUDGETS)
def test_a_sum_is_what_the_plan_comes_to_by_itself_and_follows_no_setting_that_its_key_leaves_out(
    text: str, planned: Callable[[str], Planned]
) -> None:
    sums = Sums()
    for plan in planned(text).plans:
        assert sums.of(plan) == sum_of(peak_of(plan))
        assert sums.of(replace(plan, accum=plan.accum)) is sums.of(plan)


@pytest.mark.parametrize("missing", [(), ("devices",), ("micro_batch",)])
@pytest.mark.parametrize("usable", [8 * GIB, 24 * GIB, 80 * GIB, 4096 * GIB])
def test_a_standing_is_the_estimates_need_and_verdict_whatever_was_summed_before(
    usable: int, missing: tuple[str, ...], planned: Callable[[str], Planned]
) -> None:
    shared, capacity = Sums(), Capacity(usable, usable + GIB)
    for text in BUDGETS:
        run = replace(planned(text), missing=missing)
        alone: Estimate = estimate(run, capacity)
        for found in (standing(run, capacity, shared), estimate(run, capacity, shared)):
            assert (found.need, found.verdict) == (alone.need, alone.verdict)


def test_a_key_holds_every_figure_of_a_plan(planned: Callable[[str], Planned]) -> None:
    plan = planned(BUDGETS[0]).plans[0]
    assert {one.name for one in fields(Plan)} > ELSEWHERE
    for change in ({"batch": 3}, {"seq": 5}, {"accum": 9}, {"cutoff": True}, {"padded": True}, {"repeat_kv": not plan.repeat_kv}):
        assert figures_of(replace(plan, **change)) != figures_of(plan)
    without = {name: one for name, one in plan.origins.items() if name != "micro_batch"}
    assert figures_of(replace(plan, origins=without)) == figures_of(plan)
    assert figures_of(replace(plan, origins={**plan.origins, "packing": plan.origins["model"]})) != figures_of(plan)
