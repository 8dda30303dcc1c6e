"""What the README promises: its two commands, as the continuous check finds them; what it shows; the options it names."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def readme(repository: Path) -> str:
    return (repository / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def ci(repository: Path) -> str:
    return (repository / ".ci" / "run").read_text(encoding="utf-8")


def extracted(ci: str, repository: Path, number: int) -> str:
    """What ``readme_command`` of ``.ci/run`` takes from the README."""
    function = re.search(r"^readme_command\(\) \{.*?^\}$", ci, re.MULTILINE | re.DOTALL)
    assert function is not None
    script = f"{function.group(0)}\nreadme_command {number}"
    return subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=repository, capture_output=True, text=True, check=True).stdout


def test_the_two_commands_are_found(ci: str, repository: Path) -> None:
    first, second, third = (extracted(ci, repository, number) for number in (1, 2, 3))
    begin = "python3 -m venv .venv && . .venv/bin/activate"
    assert first.splitlines() == [begin, "pip install .", "budgetlint check examples"]
    assert second.splitlines() == [begin, "pip install '.[test]'", "python -m pytest -n auto -m 'not slow'"]
    assert third == ""


def test_the_environment_that_they_make_is_no_part_of_the_project(repository: Path, shell) -> None:
    """git ignores it, and so does a check, whatever lies in it."""
    assert ".venv/" in (repository / ".gitignore").read_text(encoding="utf-8").splitlines()
    shell.write(".venv/lib/package/train.yaml", "model_name_or_path: a/b\nper_device_train_batch_size: 1\noutput_dir: out\n")
    assert shell("files", "--format", "json").json["files"] == []


def test_the_script_is_a_script(repository: Path) -> None:
    assert (repository / ".ci" / "run").stat().st_mode & 0o111
    subprocess.run(["bash", "-n", ".ci/run"], cwd=repository, check=True)


def test_what_the_script_expects_is_what_the_examples_print(ci: str, shell, repository: Path) -> None:
    listed = re.search(r"^for expected in (.*); do$", ci, re.MULTILINE)
    assert listed is not None
    ran = type(shell)(repository)("check", "examples")
    assert ran.code == 1
    assert [expected for expected in shlex.split(listed.group(1)) if expected not in ran.out] == []


def test_the_finding_it_shows_is_what_is_printed(readme: str, shell, repository: Path) -> None:
    """Its figures may be rounded otherwise after a change of the estimator; its words may not."""
    shown = re.search(r"^\$ (budgetlint check .*)\n((?:.+\n)+?)```", readme, re.MULTILINE)
    assert shown is not None
    ran = type(shell)(repository)(*shlex.split(shown.group(1))[1:])
    assert words(shown.group(2)) in words(ran.out)


def words(text: str) -> str:
    return re.sub(r"\d+\.\d+", "N", " ".join(text.split()))


def test_the_examples_it_gives_work(readme: str, shell) -> None:
    budgets = re.findall(r"^\$ echo '([^']+)' \| budgetlint estimate -$", readme, re.MULTILINE)
    budgets += re.findall(r"^```\n(device .*)\n```$", readme, re.MULTILINE)
    assert len(budgets) >= 2
    for budget in budgets:
        ran = shell("estimate", "-", stdin=budget)
        assert (ran.code, ran.err) == (0, "")


def test_every_option_it_names_exists(readme: str, shell, capsys: pytest.CaptureFixture[str]) -> None:
    rows = re.findall(r"^\| `budgetlint (\w+)[^|]*\|(.*)\|$", readme, re.MULTILINE)
    assert {command for command, _ in rows} >= {"check", "estimate", "files", "fmt", "rule", "devices"}
    for command, does in rows:
        shell(command, "--help")
        help = capsys.readouterr().out
        assert [option for option in re.findall(r"--[a-z-]+", does) if option not in help] == [], command


def test_every_page_it_links_to_exists(readme: str, repository: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", readme)
    assert [link for link in links if not (repository / link).exists()] == []
