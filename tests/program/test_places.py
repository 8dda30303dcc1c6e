"""Which file of a project a launch starts, and in which folder: what it opens is named from there."""

from __future__ import annotations

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.files.disk import TextFiles
from budgetlint.launch.fenced import shown_launches
from budgetlint.resolve.followed import FollowedPrograms

PROGRAM = """
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained("gpt2")
args = TrainingArguments(output_dir="out", per_device_train_batch_size=2, deepspeed="engine.json")
Trainer(model=model, args=args).train()
"""
ENGINE = '{"zero_optimization": {"stage": 2}}'


@pytest.mark.parametrize(
    ("command", "paths", "expected", "engine"),
    [
        ("python train.py", ["train.py", "engine.json"], "train.py", "engine.json"),
        ("python tune/train.py", ["tune/train.py", "engine.json"], "tune/train.py", "engine.json"),
        ("cd tune && python train.py", ["tune/train.py", "other/train.py", "tune/engine.json"], "tune/train.py", "tune/engine.json"),
        ("python train.py", ["deep/tune/train.py", "deep/tune/engine.json"], "deep/tune/train.py", "deep/tune/engine.json"),
        ("python train.py", ["one/train.py", "two/train.py"], None, None),
        ("python -m tune.train", ["tune/train.py", "engine.json"], "tune/train.py", "engine.json"),
    ],
)
def test_the_program_and_its_folder(command: str, paths: list[str], expected: str | None, engine: str | None) -> None:
    texts = {path: PROGRAM if path.endswith(".py") else ENGINE for path in paths}
    texts["README.md"] = f"```bash\n{command}\n```\n"
    programs = FollowedPrograms(TextFiles(texts))
    [launch] = shown_launches(SourceFile("README.md", texts["README.md"]))
    assert programs.place(launch) == expected
    run = programs.launched(launch) if expected is not None else None
    reading = run.reading if run is not None else None
    assert [one.text for one in (reading.references if reading is not None else ())] == ([engine] if engine is not None else [])
