"""Estimates from budget texts, the way a user writes them; and plans of a model that is small enough to count by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.optimizer import Optimizer
from budgetlint.catalog.optimizers import find_optimizer
from budgetlint.memory.plan import Plan, Precision, Recompute, Sharding
from budgetlint.memory.shape import shape_of
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext


def one_run(text: str) -> RunContext:
    judged = judge_texts({}, budget=text)
    assert [problem.message for context in judged.budgets for problem in context.budget.problems if problem.severity.value == "error"] == []
    (context,) = judged.runs
    return context


@pytest.fixture
def run_of() -> Callable[[str], RunContext]:
    return one_run


SMALL = Architecture(
    "small", "", "llama", "decoder", hidden=8, layers=3, heads=2, kv_heads=1, head_dim=4, intermediate=16, vocab=32, tied=False,
    max_positions=None,
)  # fmt: skip
"""q and o 64, k and v 32, gate, up and down 128 each: 576 and two norms of 8, 592 a layer; two tables of 256 and the final norm of 8:
2,296 in all (tied: 2,040)."""

PURE = Precision(weights=2, grads=2, master=0, state=2, compute=2, autocast=False, recipe="bf16-pure")


def small_plan(**changes: Any) -> Plan:
    """One sequence of 10 tokens on one device in 16 bit; ``tied`` and the fields of `Architecture` change the model."""
    arch = replace(SMALL, **{name: changes.pop(name) for name in list(changes) if hasattr(SMALL, name)})
    optimizer = find_optimizer("adamw")
    assert isinstance(optimizer, Optimizer)
    plan = Plan(
        arch=arch,
        shape=shape_of(arch),
        precision=PURE,
        optimizer=optimizer,
        optimizer_impl="fused",
        batch=1,
        seq=10,
        accum=1,
        recompute=Recompute(),
        attention="flash",
        loss="full",
        sharding=Sharding(),
    )
    return replace(plan, **changes)


@pytest.fixture
def small() -> Callable[..., Plan]:
    return small_plan
