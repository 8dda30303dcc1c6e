"""A project that is named by an absolute path from elsewhere is read as from within: what looks above its folders ends at the root."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from budgetlint.base.folders import folders_above
from budgetlint.cli import main

TRAIN = """\
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
from lib.settings import model

args = TrainingArguments(output_dir="out", per_device_train_batch_size=int(open("missing.txt").read() or 1), fp16=True, bf16=True)
Trainer(model=AutoModelForCausalLM.from_pretrained(model), args=args).train()
"""


@pytest.mark.parametrize(
    ("folder", "above"),
    [("", []), ("a", [""]), ("a/b", ["a", ""]), ("/", []), ("/a/b", ["/a", "/"]), ("..", [""])],
)
def test_the_folders_above_end(folder: str, above: list[str]) -> None:
    assert list(folders_above(folder)) == above


def told_of(argument: str, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str, int]]:
    assert main(["check", "--no-cache", "--format", "json", argument]) == 1
    findings = json.loads(capsys.readouterr().out)["findings"]
    return sorted((one["code"], Path(one["file"]).name, one["line"]) for one in findings)


@pytest.mark.parametrize("named", ["absolute", "../project", "."])
def test_a_project_is_read_alike_from_everywhere(
    named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    for path, text in {"train.py": TRAIN, "lib/settings.py": 'model = "Qwen/Qwen2.5-1.5B"\n', "jobs/run.sh": "python train.py\n"}.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text, encoding="utf-8")
    elsewhere.mkdir()
    (elsewhere / "settings.py").write_text('model = "nobody/knows"\n', encoding="utf-8")  # of another project: nothing of this run
    monkeypatch.chdir(project if named == "." else elsewhere)
    assert ("BL205", "train.py", 4) in told_of(str(project) if named == "absolute" else named, capsys)
