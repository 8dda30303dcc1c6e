"""Shared estimates: the figures of one run, the places of the other, and never where something that is asked differs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import budgetlint.memory
from budgetlint.memory.reuse import NEVER_ASKED, Answers
from budgetlint.report.estimate_json import document
from budgetlint.resolve.runs import judge_texts

CONFIG = """\
model_name_or_path: Qwen/Qwen2.5-1.5B
{above}per_device_train_batch_size: {batch}
learning_rate: {rate}
max_length: {length}
output_dir: out
logging_steps: 10
train_dataset: data
lr_scheduler_type: cosine
gradient_accumulation_steps: 2
packing: true
bf16: {bf16}
"""
BASE = {"above": "", "rate": "2e-5", "batch": "4", "length": "1024", "bf16": "true"}


PINNED = "device rtx-4090; stack transformers@5.24 torch@2.13 trl@1.16 peft@0.21 accelerate@1.15"
"""No version is open: nothing is read in several ways."""


def _runs(files: Mapping[str, str], budget: str | None) -> list[dict[str, Any]]:
    runs: list[dict[str, Any]] = document(judge_texts(files, budget=budget).runs)["runs"]
    return runs


@pytest.fixture
def worked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for every estimate that is worked out, not shared."""
    made: list[int] = []
    of = Answers.of

    def counting(self: Answers, settings: Any, code: str, judged_by: Any, work_out: Callable[[], Any]) -> Any:
        return of(self, settings, code, judged_by, lambda: (made.append(1), work_out())[1])

    monkeypatch.setattr(Answers, "of", counting)
    return made


@pytest.mark.parametrize("budget", [None, PINNED, "device 24GiB; run a { config a.yaml }; run b { config b.yaml }"])
@pytest.mark.parametrize(
    ("change", "shared"),
    [
        ({}, True),
        ({"rate": "1e-4"}, True),
        ({"above": "# a line more\n"}, True),
        ({"above": "lora_alpha: 64\n"}, True),
        ({"batch": "8"}, False),
        ({"length": "2048"}, False),
        ({"bf16": "false"}, False),
        ({"above": "gradient_checkpointing: true\n"}, False),
        ({"above": "use_peft: true\n"}, False),
    ],
)
def test_a_run_beside_another_is_the_run_alone(change: dict[str, str], shared: bool, budget: str | None, worked: list[int]) -> None:
    files = {"a.yaml": CONFIG.format(**BASE), "b.yaml": CONFIG.format(**BASE | change)}
    together = _runs(files, budget)
    if budget is None or "config" not in budget:
        assert len(worked) == (1 if shared else 2)
        alone = [run for name in files for run in _runs({name: files[name]}, budget)]
        assert together == alone
    terms = together[1]["terms"]
    assert {place["file"] for term in terms for place in term["because"]} <= {"b.yaml", None, "test.budget", "budget"}
    lines = files["b.yaml"].splitlines()
    batch = ("per_device_train_batch_size", "gradient_accumulation_steps")  # one of them is in every bill here
    place = next(place for term in terms for place in term["because"] if place["key"] in batch)
    assert lines[place["line"] - 1].startswith(place["key"])


def test_the_estimator_names_nothing_that_is_said_to_be_never_asked() -> None:
    folder = Path(budgetlint.memory.__file__).parent
    words = {word for path in folder.rglob("*.py") if path.name != "reuse.py" for word in re.findall(r'"([a-z0-9_]+)"', path.read_text())}
    assert not words & NEVER_ASKED
