"""A program whose training is made by a module that it imports is a program that trains, found like any other."""

from __future__ import annotations

from pathlib import Path

from budgetlint.files.disk import DiskFiles
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import judge

BUILD = """\
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

def build(cfg):
    model = AutoModelForCausalLM.from_pretrained(cfg["model"])
    return Trainer(model=model, args=TrainingArguments("o", per_device_train_batch_size=cfg["batch"]))
"""
TRAIN = """\
import argparse, yaml
from recipes.build import build

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="configs/sft.yaml")
    trainer = build(yaml.safe_load(open(parser.parse_args().config)))
    trainer.train()

if __name__ == "__main__":
    main()
"""


def test_a_program_that_only_imports_what_trains_is_a_run(tmp_path: Path) -> None:
    files = {"train.py": TRAIN, "recipes/build.py": BUILD, "configs/sft.yaml": "model: Qwen/Qwen2.5-0.5B\nbatch: 3\n"}
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    runs = judge(open_project(DiskFiles(tmp_path), ["."])).runs
    told = {one.run.name: (one.run.settings.value("model"), one.run.settings.value("micro_batch")) for one in runs}
    assert told == {"train.py": ("Qwen/Qwen2.5-0.5B", 3)}
