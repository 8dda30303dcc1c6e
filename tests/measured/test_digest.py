"""The hash of the settings that matter: what changes it, and what does not."""

from __future__ import annotations

import pytest

from budgetlint.measured.digest import same, settings_hash
from budgetlint.resolve.runs import judge_texts

SFT = """\
model_name_or_path: Qwen/Qwen2.5-1.5B
max_length: 1024
learning_rate: 0.0002
bf16: true
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
num_train_epochs: 1
output_dir: out
"""


def digest(text: str = SFT, budget: str = "device l4") -> str:
    run = judge_texts({"sft.yaml": text}, budget=budget).runs[0].run
    return settings_hash(run.settings, run.stack.model_code)


@pytest.mark.parametrize(
    "change",
    [
        ("learning_rate: 0.0002", "learning_rate: 0.1"),
        ("num_train_epochs: 1", "num_train_epochs: 3"),
        ("output_dir: out", "output_dir: elsewhere\nlogging_steps: 5"),
        ("bf16: true", "# a comment\nbf16: yes"),
    ],
)
def test_what_memory_does_not_depend_on_leaves_it(change: tuple[str, str]) -> None:
    assert digest(SFT.replace(*change)) == digest()


@pytest.mark.parametrize(
    "change",
    [
        ("per_device_train_batch_size: 2", "per_device_train_batch_size: 4"),
        ("max_length: 1024", "max_length: 2048"),
        ("bf16: true", "bf16: false"),
        ("Qwen2.5-1.5B", "Qwen2.5-0.5B"),
        ("output_dir: out", "output_dir: out\ngradient_checkpointing: true"),
        ("output_dir: out", "output_dir: out\noptim: adamw_bnb_8bit"),
    ],
)
def test_what_memory_depends_on_changes_it(change: tuple[str, str]) -> None:
    assert digest(SFT.replace(*change)) != digest()


@pytest.mark.parametrize(
    "budget", ["device a100-80gb", "device l4; reserve 2GiB", "device l4; stack transformers@5.24", "device l4; tolerance 3%"]
)
def test_machine_versions_and_judgement_are_no_settings(budget: str) -> None:
    assert digest(budget=budget) == digest()


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("sha256:0123456789abcdef", "sha256:0123456789abcdef", True),
        ("sha256:0123456789", "sha256:0123456789abcdef", True),
        ("0123456789ABCDEF", "sha256:0123456789abcdef", True),
        ("sha256:0123", "sha256:0123456789abcdef", False),
        ("sha256:1123456789abcdef", "sha256:0123456789abcdef", False),
    ],
)
def test_hashes_are_compared_as_far_as_both_go(one: str, other: str, agree: bool) -> None:
    assert same(one, other) is agree
