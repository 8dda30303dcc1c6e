"""A project that is named by an absolute path from elsewhere is read as from within: what looks above its folders ends at the root."""

from __future__ import annotations

from pathlib import Path

import pytest

from budgetlint.base.folders import folders_above
from budgetlint.cli import main

TRAIN = """\
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
from settings import model

args = TrainingArguments(output_dir="out", per_device_train_batch_size=int(open("missing.txt").read() or 1), fp16=True, bf16=True)
Trainer(model=AutoModelForCausalLM.from_pretrained(model), args=args).train()
"""


@pytest.mark.parametrize(
    ("folder", "above"),
    [("", []), ("a", [""]), ("a/b", ["a", ""]), ("/", []), ("/a/b", ["/a", "/"]), ("..", [""])],
)
def test_the_folders_above_end(folder: str, above: list[str]) -> None:
    assert list(folders_above(folder)) == above


def test_a_project_elsewhere_is_read_as_from_within(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "train.py").write_text(TRAIN, encoding="utf-8")
    (project / "settings.py").write_text('model = "Qwen/Qwen2.5-1.5B"\n', encoding="utf-8")
    (project / "run.sh").write_text("python train.py\n", encoding="utf-8")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert main(["check", "--no-cache", str(project)]) == 1
    told = capsys.readouterr().out
    assert "error[BL205]" in told
