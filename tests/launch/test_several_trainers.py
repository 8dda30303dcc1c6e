"""A program that comes to one of several trainers: the one that its launch decides, else each of them as a run of its own."""

from __future__ import annotations

import pytest

from budgetlint.base.finding import Severity
from budgetlint.engine.check import check
from budgetlint.registry import installed
from budgetlint.resolve.runs import judge_texts

METHODS = """\
import argparse
from transformers import AutoModelForCausalLM
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

p = argparse.ArgumentParser()
p.add_argument("--method", default="sft")
p.add_argument("--pack", action="store_true")
a = p.parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
if a.method == "dpo":
    trainer = DPOTrainer(model=model, args=DPOConfig(output_dir="o", per_device_train_batch_size=2, max_length=512))
else:
    trainer = SFTTrainer(model=model, args=SFTConfig(output_dir="o", per_device_train_batch_size=8, max_length=512))
trainer.train()
"""
THREE = METHODS.replace(
    "else:\n", 'elif a.method == "long":\n    trainer = SFTTrainer(model=model, args=SFTConfig(output_dir="o", max_length=4096))\nelse:\n'
)
BY_CLASS = """\
import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

class Mine(Trainer):
    pass

p = argparse.ArgumentParser()
p.add_argument("--mine", action="store_true")
a = p.parse_args()
cls = Mine if a.mine else Trainer
cls(model=AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B"), args=TrainingArguments("o")).train()
"""
DPO, OTHER = "a.method == 'dpo'", "not (a.method == 'dpo')"

CASES = {
    "the launch says it": (METHODS, "--method dpo", {"run.sh": 2}),
    "its default holds": (METHODS, "", {"run.sh": 8}),
    "nobody knows it": (METHODS, '--method "$1"', {f"run.sh [{DPO}]": 2, f"run.sh [{OTHER}]": 8}),
    "one of three": (
        THREE,
        '--method "$1"',
        {f"run.sh [{DPO}]": 2, f"run.sh [{OTHER} and a.method == 'long']": 8, f"run.sh [{OTHER} and not (a.method == 'long')]": 8},
    ),
    "both are the same training": (BY_CLASS, "$MORE", {"run.sh": 8}),
}  # fmt: skip


@pytest.mark.parametrize(("program", "words", "runs"), CASES.values(), ids=CASES)
def test_each_way_that_nothing_decides_is_a_run(program: str, words: str, runs: dict[str, int]) -> None:
    judged = judge_texts({"run.sh": f"python t.py {words}\n", "t.py": program})
    assert {one.run.name: one.setting("micro_batch").value for one in judged.runs} == runs  # type: ignore[union-attr]


def test_what_hangs_on_a_way_is_no_error_and_says_so() -> None:
    files = {"run.sh": 'python t.py --method "$1"\n', "t.py": METHODS}
    judged = judge_texts(files, budget="device 2GiB")
    assert {one.severity for one in check(judged, installed()).findings if one.name == "does-not-fit"} == {Severity.WARNING}
    said = [text.text for one in judged.runs if one.estimate is not None for text in one.estimate.assumptions]
    assert sum(f"is taken to train where {DPO}: nothing here decides it" in one for one in said) == 1


def test_two_trainings_behind_each_other_are_no_choice() -> None:
    program = METHODS.replace('if a.method == "dpo":', "if True:").replace("else:", "trainer.train()\nif True:")
    assert judge_texts({"run.sh": "python t.py\n", "t.py": program}).runs == ()


def test_a_program_that_nothing_starts_has_its_ways_too() -> None:
    program = METHODS.replace('a.method == "dpo"', "MODE").replace("a = p", "import os\nMODE = os.environ['MODE'] == 'dpo'\na = p")
    names = [one.run.name for one in judge_texts({"t.py": program}).runs]
    assert names == ["t.py [MODE]", "t.py [not (MODE)]"]
