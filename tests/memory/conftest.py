"""Estimates from budget texts, the way a user writes them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

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
