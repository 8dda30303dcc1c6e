"""What an image runs."""

from __future__ import annotations

import json

import pytest

from budgetlint.files.disk import DiskFiles
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Settings

FLAGS = "--model_name_or_path gpt2 --per_device_train_batch_size 2 --learning_rate 1e-5 --num_train_epochs 1 --save_strategy no"


def settings_of(text: str, path: str = "Dockerfile") -> Settings | None:
    runs = judge_texts({path: text}).runs
    return runs[0].run.settings if runs else None


STARTED = {
    f"FROM x\nCMD accelerate launch --num_processes 4 train.py {FLAGS}\n": 4,
    f"FROM x\nRUN accelerate launch --num_processes 4 \\\n  train.py {FLAGS}\n": 4,
    f"FROM x\nENV N=4\nCMD accelerate launch --num_processes $N train.py {FLAGS}\n": 4,
    f"FROM x\nENV N 4\nCMD accelerate launch --num_processes $N train.py {FLAGS}\n": 4,
    f'FROM x\nENTRYPOINT ["torchrun", "--nproc_per_node", "4", "train.py"]\nCMD {json.dumps(FLAGS.split())}\n': 4,
    f'FROM x\nCMD ["bash", "-c", "accelerate launch --num_processes 4 train.py {FLAGS}"]\n': 4,
    f"FROM x\nCMD accelerate launch --num_processes 8 train.py {FLAGS}\nCMD accelerate launch --num_processes 4 train.py {FLAGS}\n": 4,
    f"FROM x AS build\nCMD accelerate launch --num_processes 8 train.py {FLAGS}\nFROM build\nCMD sleep 1\n": None,
    'FROM x\nENTRYPOINT ["python", "serve.py"]\n': None,
    "FROM x\nARG N\nRUN pip install torch\n": None,
}


@pytest.mark.parametrize("text", STARTED)
def test_the_commands_of_an_image(text: str) -> None:
    settings = settings_of(text)
    assert (settings.value("devices") if settings is not None else None) == STARTED[text]


def test_an_exec_form_has_the_places_of_its_strings() -> None:
    words = ["torchrun", "--nproc_per_node", "2", "train.py", "--per_device_train_batch_size", "3", *FLAGS.split()[4:]]
    settings = settings_of(f"FROM x\nCMD {json.dumps(words)}\n")
    assert settings is not None and str(settings["micro_batch"].origin) == "Dockerfile:2:88"


@pytest.mark.parametrize("name", ["Dockerfile", "docker/Dockerfile.train", "train.dockerfile", "Containerfile"])
def test_names_of_images(name: str, tmp_path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(f"FROM x\nCMD torchrun --nproc_per_node 2 train.py {FLAGS}\n", encoding="utf-8")
    assert list(DiskFiles(tmp_path).expand(["."])) == [name]
    assert settings_of(f"FROM x\nCMD torchrun --nproc_per_node 2 train.py {FLAGS}\n", name) is not None


def test_a_ray_job_of_kubernetes() -> None:
    text = f"apiVersion: ray.io/v1\nkind: RayJob\nspec:\n  entrypoint: python train.py {FLAGS}\n"
    settings = settings_of(text, "job.yaml")
    assert settings is not None and settings.value("micro_batch") == 2


def test_a_submitted_ray_job() -> None:
    settings = settings_of(f"ray job submit --runtime-env-json '{{}}' -- torchrun --nproc_per_node 2 train.py {FLAGS}\n", "run.sh")
    assert settings is not None and settings.value("devices") == 2
