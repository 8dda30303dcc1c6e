"""A git repository with one run of three files, as somebody commits to it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

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


@pytest.fixture(scope="module")
def action(repository: Path):
    return yaml.safe_load((repository / "action.yml").read_text(encoding="utf-8"))


class Runner:
    """A GitHub runner as far as this action sees one: expressions are filled in, outputs, summary and temporary folder are files."""

    def __init__(self, action, repo, folder: Path, **inputs: str) -> None:
        self.action, self.repo, self.folder = action, repo, folder
        folder.mkdir()
        defaults = {name: one["default"] for name, one in action["inputs"].items()}
        assert inputs.keys() <= defaults.keys()
        self.known = {f"inputs.{name}": text for name, text in {**defaults, **inputs}.items()}
        self.known |= {"steps.python.outputs.python-path": sys.executable, "github.token": "secret"}
        self.known |= {"steps.install.outputs.program": str(PROGRAMS / "budgetlint"), "github.repository": "a/b"}
        self.known |= {"github.event.pull_request.number": "7", "steps.before.outputs.revision": "", "steps.before.outputs.compare": ""}
        self.known |= {"github.sha": ""}
        self.summary = folder / "summary.md"

    def step(self, name: str, **environ: str):
        """Run one step; what it writes to ``GITHUB_OUTPUT`` is known to the next."""
        (step,) = (one for one in self.action["runs"]["steps"] if one["id"] == name)
        assert step["shell"] == "bash"
        script, output = self.folder / f"{name}.sh", self.folder / f"{name}.out"
        script.write_text(step["run"], encoding="utf-8")
        output.touch()
        given = {key: self.filled(text) for key, text in step["env"].items()}
        given |= {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(self.summary), "RUNNER_TEMP": str(self.folder)}
        place = type(self.repo)(self.repo.root / self.filled(step.get("working-directory", ".")), {**self.repo.environ, **given})
        ran = place("bash", "--noprofile", "--norc", "-eo", "pipefail", str(script), **environ)
        lines = (line.partition("=") for line in output.read_text(encoding="utf-8").splitlines())
        self.known |= {f"steps.{name}.outputs.{key}": value for key, _, value in lines}
        return ran

    def filled(self, text: str) -> str:
        return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda found: self.known[found[1]], text)

    def outputs(self) -> Mapping[str, str]:
        return {name: self.filled(one["value"]) for name, one in self.action["outputs"].items()}


@pytest.fixture
def runner(action, repo, tmp_path: Path):
    return lambda **inputs: Runner(action, repo, tmp_path / "runner", **{key.replace("_", "-"): v for key, v in inputs.items()})


@pytest.fixture
def cloned(repo, tmp_path: Path):
    """A fresh clone of the repository with a change on a branch of its own, as a CI job finds it; ``origin/main`` is where it began."""

    def made(edits: Mapping[str, tuple[str, str]]) -> Repository:
        origin = tmp_path / "origin.git"
        repo("git", "clone", "-q", "--bare", ".", str(origin))
        copy = Repository(tmp_path / "clone", repo.environ)
        assert repo("git", "clone", "-q", f"file://{origin}", str(copy.root)).code == 0
        for name, value in (("user.name", "somebody"), ("user.email", "somebody@example.com"), ("commit.gpgsign", "false")):
            copy("git", "config", name, value)
        copy("git", "checkout", "-q", "-b", "theirs")
        for path, edit in edits.items():
            copy.change(path, *edit)
        assert not edits or copy.commit("--no-verify").code == 0
        return copy

    return made
