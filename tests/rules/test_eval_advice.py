"""How often a run should evaluate: a number that comes in the run, or none where nobody knows how long it is."""

from __future__ import annotations

import pytest
from budgetlint_rules import eval_steps_fallback

from budgetlint.testing import find

RUN = "model_name_or_path: Qwen/Qwen2.5-1.5B\nper_device_train_batch_size: 2\nlearning_rate: 0.00002\nnum_train_epochs: 3\n"


@pytest.mark.parametrize(
    ("more", "advice"),
    [
        ("logging_steps: 1\n", ["a tenth of the run's steps, or eval_strategy: epoch"]),
        ("logging_steps: 1\nsave_steps: 200\n", ["eval_steps: 200, or what the run needs"]),
        ("logging_steps: 1\nmax_steps: 75\n", ["eval_steps: 8, or what the run needs"]),
        ("logging_steps: 10\nmax_steps: 3000\n", ["eval_steps: 300, or what the run needs"]),
        ("logging_steps: 10\nmax_steps: 3000\nsave_steps: 250\n", ["eval_steps: 250, or what the run needs"]),
        ("logging_steps: 10\nmax_steps: 600\nsave_steps: 500\n", ["eval_steps: 60, or what the run needs"]),
        ("logging_steps: 25\nmax_steps: 500\n", []),
        ("logging_steps: 25\n", []),
    ],
)
def test_the_advice_is_of_this_run(more: str, advice: list[str]) -> None:
    found = find(eval_steps_fallback.RULE, {"train.yaml": f"{RUN}{more}eval_strategy: steps\n"})
    assert [one.help for one in found] == advice
