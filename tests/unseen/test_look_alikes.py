"""A file that looks like a framework's in a project whose programs are others: its reader is guessed, and no error stands on a guess."""

from __future__ import annotations

import pytest

from budgetlint.base.finding import Severity
from budgetlint.engine.check import check
from budgetlint.registry import installed
from budgetlint.resolve.runs import judge_texts

LIKE = """base_model: meta-llama/Llama-3.2-1B
sequence_len: 512
load_in_4bit: true
num_epochs: 1
micro_batch_size: 4
learning_rate: 2e-4
logging_steps: 5
dataset: samsum
"""
DATA = "datasets: [{path: a/b, type: alpaca}]\n"
OTHER = """from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.2-1B")
Trainer(model=model, args=TrainingArguments(output_dir="o"), train_dataset=None).train()
"""
READS = """import yaml
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
cfg = yaml.safe_load(open("a.yaml"))
model = AutoModelForCausalLM.from_pretrained(cfg["base_model"])
args = TrainingArguments(output_dir="o", per_device_train_batch_size=cfg["micro_batch_size"], learning_rate=float(cfg["learning_rate"]))
Trainer(model=model, args=args, train_dataset=None).train()
"""
STARTED = "axolotl train c.yaml\n"
STOPS = "quantized-without-adapter"


def levels(files: dict[str, str], path: str) -> dict[str, Severity]:
    found = check(judge_texts(files, budget="device a100-80gb"), installed()).findings
    return {one.name: one.severity for one in found if one.location.file == path}


@pytest.mark.parametrize(
    ("files", "level"),
    [
        ({}, Severity.ERROR),
        ({"train.py": OTHER}, Severity.INFO),
        ({"train.py": OTHER, "run.sh": STARTED}, Severity.ERROR),
        ({"train.py": OTHER, "run.sh": STARTED.replace("c.yaml", "b.yaml")}, Severity.ERROR),
        ({"train.py": OTHER, "b.yaml": LIKE + DATA}, Severity.ERROR),
        ({"train.py": READS, "a.yaml": LIKE}, None),
        ({"train.py": READS, "a.yaml": LIKE + "task: x\n"}, None),
        ({"train.py": READS, "a.yaml": "base_model: x/y\nmicro_batch_size: 4\nlearning_rate: 1e-4\n"}, Severity.INFO),
    ],
    ids=["alone", "others train", "started", "axolotl trains", "with its data", "a twin is read", "nearly a twin", "no twin"],
)
def test_what_a_look_alike_may_be_told(files, level) -> None:
    named = "b.yaml" if "b.yaml" in files else "c.yaml"
    assert levels({named: LIKE, **files} if named == "c.yaml" else files, named).get(STOPS) == level


def test_a_slip_is_told_of_a_known_reader_alone() -> None:
    assert "unknown-key" in levels({"c.yaml": LIKE}, "c.yaml")
    assert "unknown-key" not in levels({"c.yaml": LIKE, "train.py": OTHER}, "c.yaml")
