"""A git repository with one run of three files, as somebody commits to it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

PROGRAMS = Path(sys.executable).parent
"""Where ``budgetlint`` and ``pre-commit`` are installed beside this Python."""


@dataclass(frozen=True)
class Ran:
    code: int
    out: str


@dataclass(frozen=True)
class Repository:
    root: Path
    environ: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *command: str, **environ: str) -> Ran:
        ran = subprocess.run(
            command,
            cwd=self.root,
            env={**self.environ, **environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        return Ran(ran.returncode, ran.stdout)

    def write(self, path: str, text: str) -> Path:
        whole = self.root / path
        whole.parent.mkdir(parents=True, exist_ok=True)
        whole.write_text(text, encoding="utf-8")
        return whole

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def change(self, path: str, old: str, new: str) -> None:
        assert old in self.read(path)
        self.write(path, self.read(path).replace(old, new))

    def commit(self, *options: str) -> Ran:
        """Everything is added, then committed, through the hooks."""
        self("git", "add", "-A")
        return self("git", "commit", "-m", "a change", *options)


@pytest.fixture
def repo(tmp_path: Path, repository: Path) -> Repository:
    """``train.yaml`` fits by what ``ds/zero3.json`` says; ``other/large.yaml`` never did and is nobody's business."""
    hidden = ("GIT_", "GITHUB_", "PRE_COMMIT", "PREK_")
    environ = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    path = f"{PROGRAMS}{os.pathsep}{environ.get('PATH', '')}"
    environ |= {"PATH": path, "HOME": str(tmp_path), "PRE_COMMIT_HOME": str(tmp_path / "cache"), "PREK_HOME": str(tmp_path / "cache")}
    environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    made = Repository(tmp_path / "repo", environ)
    shutil.copytree(repository / "examples" / "deepspeed-zero3", made.root)
    (made.root / "ds").mkdir()
    (made.root / "zero3.json").rename(made.root / "ds" / "zero3.json")
    made.change("train.yaml", "deepspeed: zero3.json", "deepspeed: ds/zero3.json")
    made.change("ds/zero3.json", '"gradient_accumulation_steps": 8', '"gradient_accumulation_steps": "auto"')
    made.write("other/card.budget", "device 8GiB\n")
    made.write("other/large.yaml", made.read("train.yaml").replace("deepspeed: ds/zero3.json\n", ""))
    made("git", "init", "-q", "-b", "main")
    for name, value in (("user.name", "somebody"), ("user.email", "somebody@example.com"), ("commit.gpgsign", "false")):
        made("git", "config", name, value)
    assert made.commit("--no-verify").code == 0
    return made


PUBLISHED = ("budgetlint", "rules", "grammar", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")


@pytest.fixture
def published(repository: Path, tmp_path: Path) -> Path:
    """A copy of this project, as a clone would be: building it leaves the tree alone."""
    copy = tmp_path / "budgetlint"
    for name in PUBLISHED:
        source, target = repository / name, copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", ".*_cache"))
        else:
            shutil.copy(source, target)
    return copy
