"""Parts of a step that plans share: sums as if each were alone, and never by a field that the part does not name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from budgetlint.base.record import replace
from budgetlint.catalog.optimizer import Optimizer
from budgetlint.catalog.optimizers import find_optimizer
from budgetlint.memory.body import BODY, GRADIENTS, LAYER, LOGITS, RESTING, TRAINABLE
from budgetlint.memory.parts import Asked, SharedParts
from budgetlint.memory.peak import Sums, peak_of, sum_of
from budgetlint.memory.plan import Plan, Recompute
from budgetlint.rules_api.context import RunContext

BUDGETS = (
    "device a100-80gb; model llama-3.1-8b; seq 4096; batch 2; lora r=16",
    "device a100-80gb; model llama-3.1-8b; seq 4096; batch 2; lora r=16; quant nf4; recompute full; attention eager",
    "device 8x 24GiB; model qwen2.5-7b; seq 2048; batch 4; optimizer adamw; shard zero3",
    "device 8x 80GiB; model mixtral-8x7b; seq 2048; batch 1; shard fsdp; precision bf16",
    "device h100-80gb; model gemma-2-2b; seq 1024; batch 4; recompute none; precision fp16",
    "device h100-80gb; model bert-large; seq 512; batch 16",
)


@pytest.fixture
def plan(run_of: Callable[[str], RunContext]) -> Callable[[str], Plan]:
    def of(text: str) -> Plan:
        found: Plan | None = run_of(text).plan
        assert found is not None
        return found

    return of


def variations(plan: Plan) -> list[Plan]:
    """The plan with one thing otherwise, then with another."""
    lomo = find_optimizer("lomo")
    assert isinstance(lomo, Optimizer)
    return [
        plan,
        replace(plan, optimizer=lomo, precision=replace(plan.precision, master=0)),
        replace(plan, optimizer_impl="for-loop"),
        replace(plan, optimizer_in_backward=True),
        replace(plan, loss="chunked"),
        replace(plan, accum=4),
        replace(plan, batch=1),
        replace(plan, seq=256),
        replace(plan, recompute=Recompute("full", reentrant=True)),
        replace(plan, recompute=Recompute("selective")),
        replace(plan, attention="eager"),
        replace(plan, repeat_kv=not plan.repeat_kv),
        replace(plan, eval_batch=8),
        replace(plan, head="none"),
        replace(plan, kernels=plan.kernels | {"rms_norm"}),
    ]


@pytest.mark.parametrize("text", BUDGETS)
def test_a_sum_of_shared_parts_is_that_of_the_plan_alone(text: str, plan: Callable[[str], Plan]) -> None:
    """In one order and in the other: what the first plan left is what the others take."""
    every = variations(plan(text))
    alone = [sum_of(peak_of(one)) for one in every]
    assert len(set(alone)) > 6
    forth, back = Sums(), Sums()
    assert [forth.of(one) for one in every] == alone
    assert [back.of(one) for one in reversed(every)] == alone[::-1]


@pytest.mark.parametrize("text", (BUDGETS[0], BUDGETS[2], BUDGETS[3]))
def test_plans_that_differ_in_little_share_the_rest(text: str, plan: Callable[[str], Plan]) -> None:
    sums, one = Sums(), plan(text)
    for loss in ("full", "chunked", "fused"):
        for batch in (1, 2):
            for accum in (1, 4):
                sums.of(replace(one, loss=loss, batch=batch, accum=accum))
    made = [asked for asked, _ in sums.parts]
    assert len(sums.known) == 12
    assert {name: made.count(id(part)) for name, part in PARTS.items()} == {
        "trainable": 1, "layer": 1, "resting": 1, "gradients": 2, "body": 2, "logits": 6,
    }  # fmt: skip


PARTS = {"trainable": TRAINABLE, "layer": LAYER, "resting": RESTING, "gradients": GRADIENTS, "body": BODY, "logits": LOGITS}


def test_a_part_that_asks_for_more_than_it_names_is_the_plans_own(plan: Callable[[str], Plan]) -> None:
    """Of three plans the second has the batch of the first, and the third another."""
    told = Asked(("seq",), lambda asked, _: (asked.seq, asked.batch))
    honest = Asked(("seq", "batch"), lambda asked, _: (asked.seq, asked.batch))
    shared: dict[tuple[int, object], object] = {}
    for batch in (2, 2, 3):
        one = replace(plan(BUDGETS[0]), batch=batch)
        parts = SharedParts(shared, one, {"seq": 0, "batch": batch, "origins": 1})
        assert parts.of(told, one) == parts.of(honest, one) == (4096, batch)
    assert [kind for kind, _ in shared] == [id(honest)] * 2


def test_a_part_inside_of_another_names_no_more_than_that_one(plan: Callable[[str], Plan]) -> None:
    inner = Asked(("seq", "batch"), lambda asked, _: (asked.seq, asked.batch))
    outer = Asked(("seq",), lambda asked, parts: parts.of(inner, asked))
    shared: dict[tuple[int, object], object] = {}
    for batch in (2, 3):
        one = replace(plan(BUDGETS[0]), batch=batch)
        assert SharedParts(shared, one, {"seq": 0, "batch": batch, "origins": 1}).of(outer, one) == (4096, batch)
    assert [kind for kind, _ in shared] == [id(inner)] * 2
