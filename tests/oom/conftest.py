"""Runs from budget texts, explained by the lines of a log."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from budgetlint.oom.explain import Explanation, explain
from budgetlint.oom.log import find
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext

SFT = "device h100-80gb; model qwen2.5-7b; precision bf16; optimizer adamw; batch 4; seq 2048; recompute full; attention flash"


def one_run(text: str) -> RunContext:
    (context,) = judge_texts({"case.budget": text}).runs
    return context


def explained(budget: str, *lines: str) -> Explanation:
    found = find(lines)
    assert found is not None
    return explain(found, one_run(budget))


@pytest.fixture
def ask() -> Callable[..., Explanation]:
    return explained


@pytest.fixture
def sft() -> str:
    return SFT


@pytest.fixture
def run_of() -> Callable[[str], RunContext]:
    return one_run
