"""A release in which the program would stop at one of its own calls is no reading."""

from __future__ import annotations

import pytest

from budgetlint.report.answer import fork_lines
from budgetlint.resolve.runs import judge_texts

PROGRAM = """\
from trl import GRPOConfig, GRPOTrainer
from datasets import load_dataset
args = GRPOConfig("out", per_device_train_batch_size=8, num_generations=8, max_completion_length=2048, bf16=True{})
trainer = GRPOTrainer("Qwen/Qwen2.5-1.5B", reward_funcs=len, args=args, train_dataset=load_dataset("acme/rows")["train"])
trainer.train()
"""


@pytest.mark.parametrize(
    ("more", "pins", "newest"),
    [
        ("", "", True),
        (", max_prompt_length=512", "", False),  # GRPOConfig has it up to TRL 0.27
        (", max_prompt_length=512", "trl>=0.20,<2\n", False),
        (", max_prompt_length=512 if acme else 256", "", False),  # it is given either way
    ],
)
def test_the_releases_that_take_what_is_given(more: str, pins: str, newest: bool) -> None:
    files = {"train.py": PROGRAM.format(more), "requirements.txt": f"torch==2.13.0\ntransformers==4.57.1\n{pins}"}
    (run,) = judge_texts(files, budget="device 48GiB").runs
    assert run.estimate is not None
    release = run.run.stack.releases.get("trl")
    assert (release is None or release.at_least("0.28") is not False) is newest, fork_lines(run.estimate)
