"""Rows that a program's own call of the tokenizer cuts need not reach the length: what does not fit there is no error."""

from __future__ import annotations

import pytest

from budgetlint.engine.check import check
from budgetlint.registry import installed
from budgetlint.resolve.runs import judge_texts

PROGRAM = """import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments
tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen2.5-1.5B")
rows = load_dataset("x", split="train").map(lambda row: tokenizer(row["text"], truncation=True, max_length=8192{more}))
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B", torch_dtype=torch.bfloat16)
Trainer(model=model, args=TrainingArguments(output_dir="out", per_device_train_batch_size=1, bf16=True), train_dataset=rows).train()
"""


@pytest.mark.parametrize(
    ("more", "device", "level"),
    [
        ("", "24GiB", "warning"),
        (', padding="max_length"', "24GiB", "error"),  # every row is as long
        ("", "12GiB", "error"),  # a quarter of the length does not fit either
    ],
)
def test_the_level_of_does_not_fit(more: str, device: str, level: str) -> None:
    judged = judge_texts({"train.py": PROGRAM.format(more=more)}, budget=f"device {device}; config train.py")
    found = [one.severity.name.lower() for one in check(judged, installed()).findings if one.name == "does-not-fit"]
    assert found == [level]


FIELD = """import argparse
import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
parser = argparse.ArgumentParser()
parser.add_argument("--{name}", type=int, default=8192)
args = parser.parse_args()
class Rows(torch.utils.data.Dataset):
    def __init__(self, size):
        self.size = size
    def __getitem__(self, at):
        return torch.load("rows.pt")[at * self.size : (at + 1) * self.size]
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B", torch_dtype=torch.bfloat16)
arguments = TrainingArguments(output_dir="out", per_device_train_batch_size=1, bf16=True)
Trainer(model=model, args=arguments, train_dataset=Rows(args.{name})).train()
"""


@pytest.mark.parametrize(("name", "level"), [("block_size", "error"), ("max_length", "warning")])
def test_blocks_are_as_long_as_they_are_called(name: str, level: str) -> None:
    judged = judge_texts({"train.py": FIELD.format(name=name)}, budget="device 24GiB; config train.py")
    found = [one.severity.name.lower() for one in check(judged, installed()).findings if one.name == "does-not-fit"]
    assert found == [level]
