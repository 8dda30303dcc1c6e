"""Advice that the release which is pinned would refuse is not given, and one argument is told once."""

from __future__ import annotations

import pytest
from budgetlint_rules import argument_not_taken, evaluation_strategy_renamed, no_mixed_precision, trl_max_seq_length_renamed

from budgetlint.registry import build
from budgetlint.testing import find, report_on

PLAIN = "model_name_or_path: Qwen/Qwen2.5-1.5B\noutput_dir: out\nper_device_train_batch_size: 2\ngradient_accumulation_steps: 8\n"
OLD = f"{PLAIN}learning_rate: 0.00002\nnum_train_epochs: 1\nevaluation_strategy: epoch\n"
LONG = """model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
packing: true
max_seq_length: 4096
"""
SCRIPT = """from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
args = TrainingArguments("out", evaluation_strategy="steps")
Trainer(model=model, args=args, train_dataset=data, eval_dataset=data).train()
"""
BOTH = build([("test", argument_not_taken.RULE), ("test", evaluation_strategy_renamed.RULE)])


@pytest.mark.parametrize(
    ("rule", "text", "pin", "advice"),
    [
        (no_mixed_precision.RULE, f"{PLAIN}num_train_epochs: 1\n", "transformers==4.57.0", "bf16: true"),
        (no_mixed_precision.RULE, f"{PLAIN}num_train_epochs: 1\n", "transformers==4.12.5", "fp16: true"),
        (evaluation_strategy_renamed.RULE, OLD, "transformers==4.45.0", "rename it to eval_strategy"),
        (evaluation_strategy_renamed.RULE, OLD, "transformers>=4.30", "rename it to eval_strategy, with transformers 4.41 or newer"),
        (trl_max_seq_length_renamed.RULE, LONG, "trl==0.17.0", "rename it to max_length"),
        (trl_max_seq_length_renamed.RULE, LONG, "trl>=0.9,<0.18", "rename it to max_length, with TRL 0.16 or newer"),
    ],
)
def test_what_is_advised_is_taken(rule, text: str, pin: str, advice: str) -> None:
    found = find(rule, {"train.yaml": text, "requirements.txt": f"{pin}\n"}, "device 1x a100-80gb")
    assert [one.help for one in found] == [advice]


@pytest.mark.parametrize("pin", ["", "transformers==4.57.0"])
def test_an_argument_is_told_once(pin: str) -> None:
    report = report_on({"train.py": SCRIPT, "requirements.txt": f"{pin}\n"}, "", None, BOTH, preview=True)
    told = [one.name for one in report.findings if "evaluation_strategy" in one.message]
    assert told == ["evaluation-strategy-renamed"]
