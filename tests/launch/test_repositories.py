"""The run of a repository is the one that its script launches: settings of files and flags, with origins, and what they beat."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from budgetlint.commands.common import add_command
from budgetlint.files.disk import TextFiles
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import judge
from budgetlint.settings.run import Setting, Settings

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "repositories.yaml").read_text(encoding="utf-8"))


def told(setting: Setting) -> str:
    text = f"{setting.value if setting.known else setting.state} @ {setting.origin}"
    beaten = setting.overrode[0] if setting.overrode else None
    return text if beaten is None else f"{text}, over {beaten.value if beaten.known else beaten.state} @ {beaten.origin}"


def runs_of(case: dict[str, Any]) -> dict[str, Settings]:
    project = open_project(TextFiles(case["files"]), ["."])
    if "start" in case:
        add_command(project, shlex.split(case["start"]))
    return {context.run.name: context.run.settings for context in judge(project).runs}


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_the_joined_run_is_what_the_script_launches(case: dict[str, Any]) -> None:
    runs = runs_of(case)
    assert list(runs) == list(case["runs"])
    for name, expected in case["runs"].items():
        assert {key: told(runs[name][key]) for key in expected} == expected


def test_twenty_public_repositories_stand_behind_them() -> None:
    repositories = Counter(case["like"] for case in CASES if "like" in case)
    assert len(repositories) == repositories.total() >= 20


NO_RUN = {
    "a recipe that is not here says everything": "accelerate launch -m axolotl.cli.train absent.yml",
    "flags beside a recipe that is not here": "trl sft --config absent.yaml --max_length 512 --per_device_train_batch_size 2",
    "a converter takes the training's flags": "torchrun tools/hf2megatron_converter.py --num-layers 2 --hidden-size 64 "
    "--num-attention-heads 4 --micro-batch-size 2 --seq-length 128 --train-iters 5",
}


@pytest.mark.parametrize("case", NO_RUN)
def test_nothing_is_made_up_for(case: str) -> None:
    assert runs_of({"files": {"run.sh": NO_RUN[case] + "\n"}}) == {}


def test_a_converter_aside_the_same_flags_train() -> None:
    text = NO_RUN["a converter takes the training's flags"].replace("tools/hf2megatron_converter.py", "pretrain_gpt.py")
    assert list(runs_of({"files": {"run.sh": text + "\n"}})) == ["run.sh"]


STARTED = {
    "bash run.sh sft.yaml 7": (7, "sft.yaml:2:30"),
    "bash run.sh sft.yaml": (3, "sft.yaml:2:30"),
}


@pytest.mark.parametrize("command", STARTED)
def test_arguments_of_the_script_take_the_place_of_its_defaults(command: str) -> None:
    script = "N=${2:-3}\naccelerate launch --num_processes $N train.py --config $1\n"
    recipe = "model_name_or_path: a/b\nper_device_train_batch_size: 4\nlearning_rate: 1.0e-5\nnum_train_epochs: 1\nsave_strategy: 'no'\n"
    run = runs_of({"files": {"run.sh": script, "sft.yaml": recipe}, "start": command})["run.sh"]
    expected = STARTED[command]
    assert (run.value("devices"), str(run["micro_batch"].origin)) == expected
