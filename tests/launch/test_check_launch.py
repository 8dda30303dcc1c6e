"""``budgetlint check -- COMMAND`` judges what the command would run, and nothing else."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from budgetlint.cli import main
from budgetlint.commands.console import Console

SFT = """\
model_name_or_path: Qwen/Qwen2.5-7B
dataset_name: a/b
per_device_train_batch_size: 8
gradient_accumulation_steps: 1
learning_rate: 1.0e-5
num_train_epochs: 1
max_length: 2048
bf16: true
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "sft.yaml").write_text(SFT, encoding="utf-8")
    (tmp_path / "other.yaml").write_text(SFT.replace("7B", "14B"), encoding="utf-8")
    (tmp_path / "train.sh").write_text("accelerate launch --num_processes 2 -m trl.scripts.sft --config sft.yaml\n", encoding="utf-8")
    (tmp_path / "card.budget").write_text("device 24GiB; reserve 1GiB\n", encoding="utf-8")
    return tmp_path


def check(root: Path, *arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    code = main(["check", *arguments], Console(out, err, io.StringIO(), {}, root))
    return code, out.getvalue(), err.getvalue()


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["accelerate", "launch", "--num_processes", "2", "-m", "trl.scripts.sft", "--config", "sft.yaml"], "<command>"),
        (["trl", "sft", "--config", "sft.yaml"], "<command>"),
        (["bash", "train.sh"], "train.sh"),
        (["sbatch", "train.sh"], "train.sh"),
        (["sbatch", "-p", "gpu", "--job-name", "x", "-Qv", "--exclusive", "--gres=gpu:2", "-N1", "train.sh"], "train.sh"),
    ],
)
def test_only_the_run_of_the_command_is_judged(project: Path, command: list[str], name: str) -> None:
    code, out, _ = check(project, "--format", "json", "--", *command)
    report = json.loads(out)
    assert (code, [run["name"] for run in report["runs"]], [run["verdict"] for run in report["runs"]]) == (1, [name], ["does-not-fit"])
    assert all("other.yaml" not in finding["file"] for finding in report["findings"])


def test_a_command_that_trains_nothing_is_not_judged(project: Path) -> None:
    """A submit filter lets it pass; what requires a verdict does not."""
    code, out, _ = check(project, "--", "ls", "-l")
    assert code == 0
    assert out.startswith("Nothing was found out")
    assert "No run was judged: the command starts no training program that is known" in out
    assert check(project, "--require-verdict", "--", "ls", "-l")[0] == 1


def test_a_command_may_name_a_script_anywhere(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "train.sh").write_text((project / "train.sh").read_text())
    code, out, _ = check(project, "--format", "json", "--", "bash", str(elsewhere / "train.sh"))
    assert (code, [run["verdict"] for run in json.loads(out)["runs"]]) == (1, ["does-not-fit"])
