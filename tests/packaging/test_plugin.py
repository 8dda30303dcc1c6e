"""The example of a third-party rule, built as a wheel, installed, and used from outside."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TRAIN = (
    "model_name_or_path: Qwen/Qwen2.5-1.5B\noutput_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.0002\n"
)


@pytest.fixture(scope="module")
def installed(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of site packages that holds the plugin."""
    work = tmp_path_factory.mktemp("plugin")
    unneeded = shutil.ignore_patterns("__pycache__", "build")
    source = shutil.copytree(repository / "examples" / "rule-plugin", work / "source", ignore=unneeded)
    target = work / "site"
    done(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(work), str(source))
    (wheel,) = work.glob("*.whl")
    done(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(target), str(wheel))
    return target


def done(*words: str, cwd: Path | None = None, site: Path | None = None, expect: int = 0) -> str:
    environ = {**os.environ, "PYTHONPATH": str(site)} if site else None
    ran = subprocess.run(words, cwd=cwd, env=environ, capture_output=True, text=True, timeout=120)
    assert ran.returncode == expect, ran.stdout + ran.stderr
    return ran.stdout


def test_its_page_is_shown(installed: Path, tmp_path: Path) -> None:
    page = done(sys.executable, "-m", "budgetlint", "rule", "HOUSE001", cwd=tmp_path, site=installed)
    assert "A training config does not state its seed." in page


def test_check_runs_it_and_fixes_what_it_finds(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "train.yaml").write_text(TRAIN)
    command = (sys.executable, "-m", "budgetlint", "check", "--select", "HOUSE001")
    told = done(*command, "--fail-on", "warning", cwd=tmp_path, site=installed, expect=1)
    assert "train.yaml:3:30" in told
    done(*command, "--fix", "--unsafe-fixes", cwd=tmp_path, site=installed)
    assert (tmp_path / "train.yaml").read_text() == TRAIN.replace("batch_size: 4\n", "batch_size: 4\nseed: 42\n")


def test_without_it_the_rule_is_not_known(tmp_path: Path) -> None:
    assert done(sys.executable, "-m", "budgetlint", "check", "--select", "HOUSE001", cwd=tmp_path, expect=2) == ""


def test_its_own_tests_pass(installed: Path, repository: Path, tmp_path: Path) -> None:
    tests = shutil.copytree(repository / "examples" / "rule-plugin" / "tests", tmp_path / "tests")
    told = done(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests), cwd=tmp_path, site=installed)
    assert " passed" in told
