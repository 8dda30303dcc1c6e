"""The rule against its cases and the examples of its page."""

from pathlib import Path

import pytest
from house_rules import RULES

from budgetlint.registry import build
from budgetlint.testing import load_cases, run_case, run_example

REGISTRY = build([("house", rule) for rule in RULES])
CASES = load_cases(Path(__file__).parent / "run-without-seed.yaml")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case) -> None:
    assert run_case(case, RULES[0], REGISTRY) == list(case.expect)


def test_the_page_is_true() -> None:
    assert run_example(RULES[0], "Failing", REGISTRY)
    assert run_example(RULES[0], "Passing", REGISTRY) == []
