"""Which of several requirement files decides: what the launch installs, then what the folder's own instructions install; contradictory
ones leave the version open."""

from __future__ import annotations

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
