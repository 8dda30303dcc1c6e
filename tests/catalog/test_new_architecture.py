"""CONTRIBUTING's examples of an architecture and a device, followed word by word in a copy of the package, and asked as a user asks."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {"budgetlint": "budgetlint", "rules": "budgetlint_rules", "grammar": "budgetlint_grammar"}
BLOCK = re.compile(r"^( *)```(python|json) (budgetlint/\S+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package with the two files of the architecture, and the rows of its model and of the device."""
    folder = tmp_path_factory.mktemp("contributed")
    for source, package in PACKAGES.items():
        shutil.copytree(ROOT / source, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for _, kind, path, text in BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        if kind == "json":
            rows = (folder / path).read_text(encoding="utf-8").rstrip().removesuffix("]}")
            (folder / path).write_text(f"{rows},\n{text}]}}\n", encoding="utf-8")
        else:
            assert not (folder / path).exists()
            (folder / path).write_text(dedent(text), encoding="utf-8")
    return folder


def asked(copy: Path, where: Path, *words: str) -> str:
    environ = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run([sys.executable, "-m", "budgetlint", *words], cwd=where, capture_output=True, text=True, env=environ)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def estimate(copy: Path, where: Path, **files: str) -> dict[str, Any]:
    for name, text in files.items():
        (where / name.replace("_", ".")).write_text(text, encoding="utf-8")
    (run,) = json.loads(asked(copy, where, "estimate", "--format", "json", "a.budget"))["runs"]
    assert isinstance(run, dict)
    return run


BUDGET = (
    "device 24GiB; batch 1; seq 128; precision bf16-pure; attention flash; optimizer sgd; stack transformers@5.24.0 torch@2.13.0; model "
)


def test_a_model_of_the_new_family_is_estimated(copy: Path, tmp_path: Path) -> None:
    """A layer has q and o of 64 x 64, k and v of 32 x 64, three matrices of 128 x 64, and a norm of 64; around two of them embedding and
    head of 1000 x 64, and a norm."""
    run = estimate(copy, tmp_path, a_budget=f"{BUDGET}fable-tiny\n")
    assert run["params"] == 2 * (2 * 64 * 64 + 2 * 32 * 64 + 3 * 128 * 64 + 64) + 2 * 1000 * 64 + 64
    assert run["verdict"] == "fits"
    assert "activations of fable: priced as the nearest traced family, Llama (+/- 12 %)" in run["assumptions"]


def test_its_layer_keeps_what_the_program_says(copy: Path, tmp_path: Path) -> None:
    """For each token a layer keeps of its norm 64 x 4 (fp32), 4 (1/rms) and 64 x 2 B, then in 16 bit the norm's output (64), q (64), k
    and v (32 each), what attention gives (64) with 4 x 4 B of statistics, the sum (64), gate, up, activation and product (128 each)."""
    sizes = {"hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 1000}

    def activations(layers: int) -> int:
        config = json.dumps({"model_type": "fable", **sizes, "num_hidden_layers": layers})
        run = estimate(copy, tmp_path, config_json=config, a_budget=f"{BUDGET}'./config.json'\n")
        assert run["params"] == 201920 + (layers - 2) * 36928
        found: int = run["phases"]["forward"]["buckets"]["activations"]
        return found

    a_token = 64 * 4 + 4 + 64 * 2 + 2 * (64 + 64 + 32 + 32 + 64) + 4 * 4 + 2 * 64 + 2 * 4 * 128
    assert activations(3) - activations(2) == 128 * a_token == 264_704


def test_the_device_is_found_and_gives_what_it_reports(copy: Path, tmp_path: Path) -> None:
    """nvidia-smi's 12,282 MiB are 12,878,610,432 bytes; 0.985 of them a process can surely have."""
    told = asked(copy, tmp_path, "devices", "fable-12gb")
    assert "12,878,610,432 bytes: fable/cards@1a2b3c4 smi.txt: 12282MiB" in told
    assert "(12,685,431,275 to 12,878,610,432 bytes" in told


def test_a_family_without_a_record_is_told_as_one(tmp_path: Path) -> None:
    numbers = "custom hidden=64 layers=2 heads=4 vocab=1000 intermediate=128 family=fable"
    run = estimate(ROOT, tmp_path, a_budget=f"{BUDGET}{numbers}\n")
    assert any(row.startswith("activations of fable: no table for this architecture") for row in run["assumptions"])
