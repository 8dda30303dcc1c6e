"""``check`` reads the project, the policy and the catalog, and nothing of the machine: its answer is the same on each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TRAIN = """\
model_name_or_path: acme/own-7b
dataset_name: a/b
per_device_train_batch_size: 4
learning_rate: 1.0e-5
evaluation_strategy: "no"
bf16: true
fp16: true
"""
CONFIG = '{"model_type": "llama", "hidden_size": 512, "num_hidden_layers": 4, "num_attention_heads": 8, "vocab_size": 1000}'


def project(folder: Path) -> Path:
    folder.mkdir()
    (folder / "t.yaml").write_text(TRAIN, encoding="utf-8")
    (folder / "run.sh").write_text("trl sft --config t.yaml --output_dir $HOME/out\n", encoding="utf-8")
    (folder / "x.budget").write_text("device 24GiB\n", encoding="utf-8")
    return folder


def bare(_folder: Path) -> dict[str, str]:
    return {}


def with_a_cache(folder: Path) -> dict[str, str]:
    """A home with the very model in the hub's cache, an accelerate config, and tokens."""
    snapshot = folder / ".cache/huggingface/hub/models--acme--own-7b/snapshots/abc"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text(CONFIG, encoding="utf-8")
    (folder / ".cache/huggingface/accelerate").mkdir()
    (folder / ".cache/huggingface/accelerate/default_config.yaml").write_text(
        "distributed_type: FSDP\nnum_processes: 8\n", encoding="utf-8"
    )
    return {"HOME": str(folder), "HF_HOME": str(folder / ".cache/huggingface"), "HF_TOKEN": "x", "ACCELERATE_MIXED_PRECISION": "fp16"}


def with_packages(folder: Path) -> dict[str, str]:
    """Another release of transformers, a card that nvidia-smi shows, and a rank."""
    site = folder / "site/transformers-4.30.0.dist-info"
    site.mkdir(parents=True)
    (site / "METADATA").write_text("Metadata-Version: 2.1\nName: transformers\nVersion: 4.30.0\n", encoding="utf-8")
    tools = folder / "bin"
    tools.mkdir()
    (tools / "nvidia-smi").write_text("#!/bin/sh\necho 'NVIDIA H100 80GB HBM3, 81559 MiB'\n", encoding="utf-8")
    (tools / "nvidia-smi").chmod(0o755)
    more = os.pathsep.join((str(folder / "site"), os.environ.get("PYTHONPATH", "")))
    return {
        "PYTHONPATH": more,
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "CUDA_VISIBLE_DEVICES": "0,1",
        "WORLD_SIZE": "2",
        "LANG": "C",
    }


@pytest.mark.slow
def test_three_machines_give_one_answer(tmp_path: Path) -> None:
    answers = {}
    for machine in (bare, with_a_cache, with_packages):
        place = tmp_path / machine.__name__
        place.mkdir()
        folder = project(place / "repository")
        environ = {**os.environ, "HOME": str(place), **machine(place)}
        ran = subprocess.run(
            [sys.executable, "-m", "budgetlint", "check", "--no-cache", "--preview", "--format", "json"],
            cwd=folder, env=environ, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert ran.returncode == 1, ran.stderr
        answers[machine.__name__] = json.loads(ran.stdout)
    assert answers["with_a_cache"] == answers["bare"]
    assert answers["with_packages"] == answers["bare"]
    assert answers["bare"]["made_by"]["catalog"]
