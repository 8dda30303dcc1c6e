"""The example of a third-party rule, built as a wheel, installed, and used from outside."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TRAIN = (
    "model_name_or_path: Qwen/Qwen2.5-1.5B\noutput_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.0002\n"
)


ENVIRONMENT = runpy.run_path(str(Path(__file__).parents[1] / "environment.py"))["environment"]


@pytest.fixture(scope="module")
def python(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The Python of an environment in which the plugin is installed beside budgetlint."""
    work = tmp_path_factory.mktemp("plugin")
    unneeded = shutil.ignore_patterns("__pycache__", "build")
    source = shutil.copytree(repository / "examples" / "rule-plugin", work / "source", ignore=unneeded)
    made, site = ENVIRONMENT(work / "environment")
    done(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(work), str(source))
    (wheel,) = work.glob("*.whl")
    done(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(site), str(wheel))
    return str(made)


def done(*words: str, cwd: Path | None = None, expect: int = 0) -> str:
    ran = subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=120)
    assert ran.returncode == expect, ran.stdout + ran.stderr
    return ran.stdout


def test_its_page_is_shown(python: str, tmp_path: Path) -> None:
    page = done(python, "-m", "budgetlint", "rule", "HOUSE001", cwd=tmp_path)
    assert "A training config does not state its seed." in page


def test_check_runs_it_and_fixes_what_it_finds(python: str, tmp_path: Path) -> None:
    (tmp_path / "train.yaml").write_text(TRAIN)
    command = (python, "-m", "budgetlint", "check", "--select", "HOUSE001")
    told = done(*command, "--fail-on", "warning", cwd=tmp_path, expect=1)
    assert "train.yaml:3:30" in told
    done(*command, "--fix", "--unsafe-fixes", cwd=tmp_path)
    assert (tmp_path / "train.yaml").read_text() == TRAIN.replace("batch_size: 4\n", "batch_size: 4\nseed: 42\n")


def test_without_it_the_rule_is_not_known(tmp_path: Path) -> None:
    assert done(sys.executable, "-m", "budgetlint", "check", "--select", "HOUSE001", cwd=tmp_path, expect=2) == ""


def test_its_own_tests_pass(python: str, repository: Path, tmp_path: Path) -> None:
    tests = shutil.copytree(repository / "examples" / "rule-plugin" / "tests", tmp_path / "tests")
    told = done(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests), cwd=tmp_path)
    assert " passed" in told
