"""The hooks of ``.pre-commit-hooks.yaml`` under the real pre-commit and prek, in a git repository that is committed to."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from budgetlint.files.wanted import CONFIG_NAMES, CONFIG_SUFFIXES, PYTHON_SUFFIX

pytestmark = pytest.mark.slow

PROGRAMS = Path(sys.executable).parent
TOO_LARGE = ('"stage": 3', '"stage": 0')


@pytest.fixture(scope="module")
def hooks(repository: Path) -> dict[str, dict[str, object]]:
    listed = yaml.safe_load((repository / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    return {hook["id"]: hook for hook in listed}


@pytest.fixture(params=["pre-commit", "prek"])
def runner(request: pytest.FixtureRequest) -> str:
    if not (PROGRAMS / request.param).exists():
        pytest.skip(f"{request.param} is not installed: pip install '.[test]'")
    return str(request.param)


def install(repo, hooks: dict[str, dict[str, object]], runner: str, args: tuple[str, ...] = ()) -> None:
    """The hooks as they are published, run by the budgetlint that is installed."""
    local = [{**hook, "language": "system", "args": list(args) if name == "budgetlint" else []} for name, hook in hooks.items()]
    repo.write(".pre-commit-config.yaml", yaml.safe_dump({"repos": [{"repo": "local", "hooks": local}]}))
    assert repo.commit("--no-verify").code == 0
    installed = repo(runner, "install")
    assert installed.code == 0, installed.out


def test_a_commit_that_breaks_nothing_passes(repo, hooks, runner: str) -> None:
    install(repo, hooks, runner)
    repo.change("train.yaml", "num_train_epochs: 2", "num_train_epochs: 3")
    done = repo.commit()
    assert done.code == 0, done.out
    assert re.search(r"budgetlint\.+Passed", done.out)


def test_a_commit_that_changes_only_the_engine_file_fails(repo, hooks, runner: str) -> None:
    install(repo, hooks, runner)
    repo.change("ds/zero3.json", *TOO_LARGE)
    done = repo.commit()
    assert done.code == 1
    assert "train.yaml does not fit" in " ".join(done.out.split())
    assert "large.yaml" not in done.out
    assert "ds/zero3.json" in repo("git", "diff", "--cached", "--name-only").out


def test_a_commit_of_something_else_runs_nothing(repo, hooks, runner: str) -> None:
    install(repo, hooks, runner)
    repo.write("notes.md", "device 8GiB\n")
    done = repo.commit()
    assert done.code == 0
    assert "no files to check" in done.out


def test_a_fix_stops_the_commit_and_the_next_one_passes(repo, hooks, runner: str) -> None:
    install(repo, hooks, runner, ("--fix",))
    repo.change("train.yaml", "output_dir: out\n", "output_dir: tmp\noutput_dir: out\n")
    first = repo.commit()
    assert first.code == 1
    assert "files were modified by this hook" in first.out
    assert repo.read("train.yaml").count("output_dir") == 1
    second = repo.commit("--allow-empty")
    assert second.code == 0, second.out


def test_a_budget_is_formatted(repo, hooks, runner: str) -> None:
    install(repo, hooks, runner)
    repo.write("other/card.budget", "device   8GiB  ;reserve 1GiB\n")
    repo.write("other/large.yaml", "")
    first = repo.commit()
    assert first.code == 1
    assert re.search(r"budgetlint fmt\.+Failed", first.out)
    assert "  " not in repo.read("other/card.budget")
    second = repo.commit()
    assert second.code == 0, second.out


def test_every_file_at_once(repo, hooks, runner: str) -> None:
    install(repo, hooks, runner)
    ran = repo(runner, "run", "--all-files")
    assert ran.code == 1
    assert "other/large.yaml" in ran.out


def test_the_hook_is_shown_every_file_that_a_folder_is_searched_for(hooks) -> None:
    names = [f"a/x{suffix}" for suffix in (*CONFIG_SUFFIXES, PYTHON_SUFFIX)] + [*CONFIG_NAMES, "Makefile", "b/Dockerfile.train"]
    pattern = re.compile(str(hooks["budgetlint"]["files"]))
    assert [name for name in names if not pattern.search(name)] == []
    assert not any(pattern.search(name) for name in ("README.md", "a.txt", "makefile.txt", "x.yaml.bak", "budget"))


def test_the_page_shows_the_same_pattern(hooks, repository: Path) -> None:
    page = (repository / "docs" / "ci.md").read_text(encoding="utf-8")
    blocks = [yaml.safe_load(text) for text in re.findall(r"^```yaml\n(repos:.*?)^```", page, re.MULTILINE | re.DOTALL)]
    (local,) = (hook for block in blocks for repo in block["repos"] if repo["repo"] == "local" for hook in repo["hooks"])
    assert {key: local[key] for key in ("entry", "files", "require_serial")} == {
        key: hooks["budgetlint"][key] for key in ("entry", "files", "require_serial")
    }


def _packages_can_be_had(folder: Path) -> bool:
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--dest", str(folder), "setuptools>=77"]
    try:
        return subprocess.run(command, capture_output=True, timeout=60).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def test_the_published_hooks_install_from_a_clone(repo, published: Path, tmp_path: Path) -> None:
    """pre-commit makes its own environment from a clone, as it does from the published repository."""
    if not (PROGRAMS / "pre-commit").exists():
        pytest.skip("pre-commit is not installed: pip install '.[test]'")
    if not _packages_can_be_had(tmp_path / "probe"):
        pytest.skip("no package index can be reached from here")
    clone = type(repo)(published, repo.environ)
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-qm", "all"]):
        assert clone("git", *command).code == 0
    repo.change("ds/zero3.json", *TOO_LARGE)
    ran = repo("pre-commit", "try-repo", str(clone.root), "budgetlint", "--files", "ds/zero3.json")
    assert ran.code == 1
    assert "train.yaml does not fit" in " ".join(ran.out.split())
    repo("git", "checkout", "--", "ds/zero3.json")
    again = repo("pre-commit", "try-repo", str(clone.root), "budgetlint-fmt", "--all-files")
    assert again.code == 0, again.out
