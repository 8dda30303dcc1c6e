"""Stages of a DVC pipeline are commands as those of a Makefile's targets are."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

OWN = """import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
p = argparse.ArgumentParser()
p.add_argument("--batch", type=int, default=1)
p.add_argument("--model", default="gpt2")
a = p.parse_args()
model = AutoModelForCausalLM.from_pretrained(a.model)
Trainer(model=model, args=TrainingArguments(output_dir="o", per_device_train_batch_size=a.batch)).train()
"""
PARAMS = "train: {batch: 4, name: Qwen/Qwen2.5-0.5B}\nrows: 2\nitem: 9\n"
STAGE = "stages:\n  prepare:\n    cmd: python prepare.py\n  train:\n"
CASES: dict[str, tuple[str, object, object]] = {
    "plain": (STAGE + "    cmd: python src/train.py\n", 1, "gpt2"),
    "a value": (STAGE + "    cmd: python src/train.py --batch ${rows}\n", 2, "gpt2"),
    "values of a mapping": (
        STAGE + "    cmd: python src/train.py --batch=${train.batch} --model ${ train.name }\n",
        4,
        "Qwen/Qwen2.5-0.5B",
    ),
    "a list": (STAGE + "    cmd:\n      - mkdir -p o\n      - python src/train.py --batch ${rows}\n", 2, "gpt2"),
    "folded": (STAGE + "    cmd: >-\n      python src/train.py\n      --batch ${train.batch}\n", 4, "gpt2"),
    "lines": (STAGE + "    cmd: |\n      cd .\n      python src/train.py \\\n        --batch ${train.batch}\n", 4, "gpt2"),
    "quoted": (STAGE + '    cmd: "python src/train.py --batch ${train.batch}"\n', 4, "gpt2"),
    "a value that is not there": (STAGE + "    cmd: python src/train.py --batch ${batch}\n", None, "gpt2"),
    "each of several": (STAGE + "    foreach: [1, 2]\n    do:\n      cmd: python src/train.py --batch ${item}\n", None, "gpt2"),
}


@pytest.mark.parametrize(("text", "rows", "model"), CASES.values(), ids=CASES)
def test_a_stage_starts_its_program(text: str, rows: object, model: object) -> None:
    judged = judge_texts({"dvc.yaml": text, "params.yaml": PARAMS, "src/train.py": OWN})
    runs = [(one.run.name, one.run.settings.value("micro_batch"), one.run.settings.value("model")) for one in judged.runs]
    assert runs == [("dvc.yaml", rows, model)]
    assert judged.findings == ()


@pytest.mark.parametrize(
    "text", [STAGE + "    cmd: python src/train.py --batch 8\n    frozen: true\n", "stages: []\n", "stages:\n  train:\n"]
)
def test_what_no_stage_runs(text: str) -> None:
    (context,) = judge_texts({"dvc.yaml": text, "src/train.py": OWN}).runs
    assert (context.run.name, context.run.settings.value("micro_batch")) == ("src/train.py", 1)
