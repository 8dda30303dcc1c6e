"""Preference training: pairs, the frozen reference, and what is left open."""

from __future__ import annotations

import pytest

from budgetlint.memory.term import Bucket
from budgetlint.resolve.runs import judge_texts

RUN = """model_name_or_path: Qwen/Qwen2.5-1.5B
per_device_train_batch_size: 2
num_train_epochs: 1
learning_rate: 5.0e-7
max_length: 1024
dtype: bfloat16
bf16: true
"""
WEIGHTS = 1_543_714_304 * 2
STACK = "device h200; stack transformers@5.24 torch@2.13 trl@1.16"


def judged(more: str):
    (run,) = judge_texts({"train.yaml": RUN + more}, budget=f"{STACK}\nconfig train.yaml").runs
    return run


def loaded(more: str) -> int:
    return judged(more).estimate.phase("load").bytes


@pytest.mark.parametrize(
    ("more", "copies"),
    [
        ("dataset_text_field: text\n", 1),
        ("rpo_alpha: 1.0\n", 2),
        ("precompute_ref_log_probs: true\n", 1),
        ("reference_free: true\n", 1),
        ("desirable_weight: 1.0\n", 2),
        ("beta: 0.1\noutput_dir: orpo-run\nrpo_alpha: 1.0\n", 2),
    ],
)
def test_a_reference_is_a_second_copy_of_the_weights(more: str, copies: int) -> None:
    assert loaded(more) == copies * WEIGHTS


def test_an_adapter_is_its_own_reference() -> None:
    assert loaded("rpo_alpha: 1.0\nuse_peft: true\nlora_r: 16\n") < 1.1 * WEIGHTS


def test_a_pair_is_two_sequences() -> None:
    pair, single = judged("rpo_alpha: 1.0\n"), judged("desirable_weight: 1.0\n")
    assert pair.plan.tokens == 2 * single.plan.tokens == 2 * 2 * 1024


def test_a_reward_model_makes_no_logits() -> None:
    """TRL reward_trainer.py: AutoModelForSequenceClassification, one label: no tensor of vocabulary width, no table at the end."""
    estimate = judged("center_rewards_coefficient: 0.01\n").estimate
    assert estimate.missing == ()
    assert estimate.buckets[Bucket.LOGITS] == 0
    assert estimate.phase("load").bytes == WEIGHTS


def test_a_headless_model_has_no_table_at_the_end() -> None:
    budget = "device h100-80gb; model qwen2.5-7b{}; precision bf16-pure; batch 1; seq 512"
    whole, scored = (judge_texts({}, budget=budget.format(head)).runs[0].estimate for head in ("", " head=regression"))
    assert whole.phase("load").bytes - scored.phase("load").bytes == 152_064 * 3584 * 2
    assert scored.buckets[Bucket.LOGITS] == 0
