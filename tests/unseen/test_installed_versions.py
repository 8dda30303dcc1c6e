"""Which of several requirement files decides: what the launch installs, then what the folder's own instructions install; contradictory
ones leave the version open."""

from __future__ import annotations

import json

import pytest

from budgetlint.resolve.runs import judge_texts

CONFIG = "model_name_or_path: Qwen/Qwen3-8B\noutput_dir: out\nper_device_train_batch_size: 1\nmax_length: 512\n"
PROGRAM = """\
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
SFTTrainer(model=model, args=SFTConfig("out", max_length=512)).train()
"""
TWO = {"requirements.txt": "trl==0.24.0\n", "requirements-colab.txt": "trl==0.16.1\ntransformers==4.50.0\n"}
START = "trl sft --config sft.yaml\n"


def stack(files: dict[str, str]) -> dict[str, str]:
    (run,) = judge_texts(files if "train.py" in files else {"sft.yaml": CONFIG, **files}).runs
    return {release.package: release.said for release in run.run.stack.releases.values()}


@pytest.mark.parametrize(
    ("install", "trl"),
    [
        ("pip install -r requirements-colab.txt", "0.16.1"),
        ("pip3 install --quiet -r requirements-colab.txt", "0.16.1"),
        ("python -m pip install --requirement requirements-colab.txt", "0.16.1"),
        ("uv pip install -r requirements-colab.txt", "0.16.1"),
        ('pip install -r "$ROOT/requirements-colab.txt"', "0.16.1"),
        ("cd /work && pip install -r requirements-colab.txt", "0.16.1"),
        ("pip install \\\n  -U \\\n  -r requirements-colab.txt", "0.16.1"),
        ("pip install -r requirements-colab.txt\npip install trl==0.17.0", "0.17.0"),  # the last one holds
        ("pip install -q 'trl==0.17.0'", "0.17.0"),
        ("# pip install -r requirements-colab.txt", None),
        ("echo pip install -r requirements-colab.txt", None),
        ("pip install -r requirements-colab.txt.old", None),
        ("pip install numpy", None),
    ],
)
def test_what_the_launch_installs_decides(install: str, trl: str | None) -> None:
    for start, more in ((START, {}), ("python train.py\n", {"train.py": PROGRAM})):
        found = stack({**TWO, **more, "run.sh": f"{install}\n{start}"})
        assert found.get("trl") == trl


@pytest.mark.parametrize(
    ("more", "trl"),
    [
        ({}, None),
        ({"Dockerfile": "FROM python:3.12\nRUN pip install -r requirements.txt\n"}, "0.24.0"),
        ({"setup.sh": "pip install -r requirements-colab.txt\n"}, "0.16.1"),
        ({"README.md": "# Set-up\n```bash\npip install -r requirements.txt\n```\n"}, "0.24.0"),
        ({"README.md": "# Set-up\n```bash\n$ pip install -r requirements.txt\n```\n"}, "0.24.0"),
        ({"README.md": "```\npip install -r requirements.txt\n```\nColab:\n```\n!pip install -r requirements-colab.txt\n```\n"}, None),
    ],
)
def test_contradictory_files_are_open_unless_the_folder_says_which(more: dict[str, str], trl: str | None) -> None:
    assert stack({**TWO, **more}).get("trl") == trl


@pytest.mark.parametrize(
    ("files", "trl"),
    [
        ({"requirements.txt": "trl==0.24.0\n", "requirements-dev.txt": "pytest\n"}, "0.24.0"),
        ({"requirements.txt": "trl>=0.20\n", "requirements-gpu.txt": "trl==0.24.0\n"}, ">=0.20"),
        ({"requirements.txt": "trl==0.24.0\n", "requirements-gpu.txt": "trl==0.24.0\n"}, "0.24.0"),
        ({"requirements.txt": "trl>=0.24\n", "requirements-old.txt": "trl<0.16\n"}, None),
        ({"requirements.txt": "trl==0.24.0\n", "uv.lock": '[[package]]\nname = "trl"\nversion = "0.20.0"\n'}, "0.20.0"),
    ],
)
def test_files_that_agree_are_one(files: dict[str, str], trl: str | None) -> None:
    assert stack(files).get("trl") == trl


def test_what_no_file_doubts_stays() -> None:
    files = {"requirements.txt": "trl==0.24.0\nunsloth==2026.4.8\n", "requirements-colab.txt": "trl==0.16.1\ntransformers==4.50.0\n"}
    assert stack(files) == {"unsloth": "2026.4.8"}


@pytest.mark.parametrize(
    ("files", "trl"),
    [
        ({"docker/requirements.txt": "trl==0.24.0\n"}, "0.24.0"),
        ({"requirements/train.txt": "trl==0.24.0\n", "requirements/docs.txt": "trl==0.9.6\n"}, "0.24.0"),
        ({"requirements/a.txt": "trl==0.24.0\n", "requirements/b.txt": "trl==0.9.6\n"}, None),
        ({"requirements.txt": "trl==0.20.0\n", "docker/requirements.txt": "trl==0.24.0\n"}, "0.20.0"),  # beside the config
        ({"env.def": "Bootstrap: docker\nFrom: ubuntu:22.04\n\n%post\n    pip3 install trl==0.24.0\n"}, "0.24.0"),
        ({"docker/Dockerfile.train": "FROM python:3.12\nRUN --mount=type=cache,target=/c pip install trl==0.24.0\n"}, "0.24.0"),
        ({"Dockerfile": "FROM python:3.12\nARG TRL_VERSION=0.24.0\nRUN pip install trl==${TRL_VERSION}\n"}, "0.24.0"),
        ({"Dockerfile": "FROM python:3.12\nRUN micromamba run -n base pip install trl==0.24.0\n"}, "0.24.0"),
        ({"Dockerfile": "FROM python:3.12\nRUN /opt/conda/bin/pip install trl==0.24.0\n"}, "0.24.0"),
        ({"Dockerfile": "FROM mambaorg/micromamba\nRUN micromamba install -y -c conda-forge trl=0.24.0\n"}, "0.24.0"),
        ({"docker/Dockerfile.vllm": "FROM python:3.12\nRUN pip install trl==0.24.0\n"}, None),  # made for something else
        ({"envs/train.yaml": "name: t\ndependencies:\n  - pip:\n    - trl==0.24.0\n"}, "0.24.0"),
        ({"pdm.lock": '[[package]]\nname = "trl"\nversion = "0.24.0"\n'}, "0.24.0"),
        ({"pixi.lock": "packages:\n- pypi: https://x.org/trl.whl\n  name: trl\n  version: 0.24.0\n"}, "0.24.0"),
        ({"conda-lock.yml": "package:\n- name: trl\n  version: '0.24.0'\n"}, "0.24.0"),
        ({"pyproject.toml": '[tool.poetry.dependencies]\ntrl = "^0.24.0"\n'}, ">=0.24.0,<0.25"),
        ({"pyproject.toml": '[tool.poetry.dependencies]\ntrl = {version = "0.24.0", extras = ["peft"]}\n'}, "0.24.0"),
        ({"requirements.txt": "trl @ git+https://github.com/huggingface/trl.git@v0.24.0\n"}, "0.24.0"),
        ({"requirements.txt": "git+https://github.com/huggingface/trl.git\n"}, None),
        ({"README.md": "# Set-up\n```bash\npip install trl==0.24.0\n```\n"}, "0.24.0"),
        ({"README.md": "```\npip install trl==0.24.0\n```\n", "Dockerfile": "FROM python:3.12\nRUN pip install trl==0.20.0\n"}, "0.20.0"),
        ({"README.md": "```\npip install trl==0.24.0\n```\nor\n```\npip install trl==0.20.0\n```\n"}, None),
        ({**TWO, "README.md": "```\npip install trl==0.20.0\n```\n"}, None),  # what is doubted beside the config stays open
    ],
)
def test_what_the_set_up_says_where_nothing_beside_the_config_does(files: dict[str, str], trl: str | None) -> None:
    assert stack(files).get("trl") == trl


@pytest.mark.parametrize(
    ("image", "package", "said"),
    [
        ("FROM pytorch/pytorch:2.4.0-cuda12.4-cudnn9-devel\n", "torch", "2.4.0"),
        ("FROM --platform=linux/amd64 huggingface/transformers-pytorch-gpu:4.35.2\n", "transformers", "4.35.2"),
        ("FROM nvidia/cuda:12.4.0-devel\n", "torch", None),
        ("FROM pytorch/pytorch:latest\n", "torch", None),
    ],
)
def test_an_image_holds_a_release(image: str, package: str, said: str | None) -> None:
    assert stack({"Dockerfile": image}).get(package) == said


def test_a_notebook_installs_its_own() -> None:
    cell = '{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": %s}'
    lines = [["!pip install -q trl==0.24.0\n"], PROGRAM.splitlines(keepends=True)]
    text = json.dumps(
        {"cells": [json.loads(cell % json.dumps(one)) for one in lines], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1
    )
    (run,) = judge_texts({"train.ipynb": text, "requirements.txt": "trl==0.20.0\n"}).runs
    assert run.run.stack.releases["trl"].said == "0.24.0"
