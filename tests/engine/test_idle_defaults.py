"""The default argument of what is switched off is no setting of a run; one that somebody writes stays, without effect."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Settings

TRL = """\
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
output_dir: out
per_device_train_batch_size: 1
max_length: 512
"""
ZERO2 = '{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": "auto"}'


def settings(text: str, **files: str) -> Settings:
    every = {"train.yaml": text, **{f"{name}.json": engine for name, engine in files.items()}}
    (run,) = judge_texts(every, budget="config train.yaml; stack deepspeed@0.18").runs
    return run.run.settings


@pytest.mark.parametrize(
    ("written", "name", "there"),
    [
        ("gradient_checkpointing: false", "recompute_reentrant", False),
        ("gradient_checkpointing: true", "recompute_reentrant", True),
        ("gradient_checkpointing: ${GC}", "recompute_reentrant", True),
        ("gradient_checkpointing: false\ngradient_checkpointing_kwargs: {use_reentrant: true}", "recompute_reentrant", True),
        ("deepspeed: ds.json", "pin_optimizer", False),
        ("load_in_4bit: false", "quant_double", False),
        ("load_in_4bit: true", "quant_double", True),
    ],
)
def test_the_argument_of_what_is_off(written: str, name: str, there: bool) -> None:
    assert (name in settings(f"{TRL}{written}\n", ds=ZERO2)) is there


def test_the_pinning_of_what_is_offloaded() -> None:
    offloads = ZERO2.replace('"stage": 2', '"stage": 2, "offload_optimizer": {"device": "cpu"}')
    assert "pin_optimizer" in settings(f"{TRL}deepspeed: ds.json\n", ds=offloads)
