"""``budgetlint completion``: the scripts parse, and a real shell completes with them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from budgetlint.commands.shells import RENDERERS
from budgetlint.commands.subcommands import commands_of

NEEDS = {name: pytest.mark.skipif(shutil.which(name) is None, reason=f"no {name} here") for name in RENDERERS}


@pytest.mark.parametrize("name", [pytest.param(name, marks=NEEDS[name]) for name in RENDERERS])
def test_a_script_parses(shell, name: str) -> None:
    ran = shell("completion", name)
    checked = subprocess.run([name, "-n"], input=ran.out, text=True, capture_output=True, timeout=30)
    assert (ran.code, checked.returncode, checked.stderr) == (0, 0, "")


@pytest.mark.parametrize("name", RENDERERS)
def test_a_script_knows_every_command_and_option(shell, name: str) -> None:
    script = shell("completion", name).out
    for command in commands_of():
        assert command.name in script
        assert [flag for flag in command.flags if flag.lstrip("-") not in script] == []


def completed(script: str, folder: Path, *line: str) -> list[str]:
    """What bash offers for the last word of a line."""
    driver = f'{script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _budgetlint; printf "%s\\n" "${{COMPREPLY[@]}}"'
    ran = subprocess.run(["bash", "-c", driver, "bash", "budgetlint", *line], cwd=folder, text=True, capture_output=True, timeout=30)
    assert ran.stderr == ""
    return ran.stdout.split()


WORDS = [
    (["ch"], ["check"]),
    (["--v"], ["--version"]),
    (["check", "--fail"], ["--fail-on"]),
    (["check", "--fail-on", "w"], ["warning"]),
    (["check", "--color", "always", "--stat"], ["--statistics"]),
    (["rule", "does-not"], ["does-not-fit"]),
    (["devices", "rtx-409"], ["rtx-4090", "rtx-4090-d", "rtx-4090-laptop"]),
    (["init", "--device", "h200-n"], ["h200-nvl"]),
    (["completion", "z"], ["zsh"]),
    (["check", "sft"], []),
    (["check", "--baseline", "k"], []),
    (["check", "--", "--fail"], []),
]


@pytest.mark.parametrize(("line", "offered"), WORDS, ids=[" ".join(line) for line, _ in WORDS])
def test_bash_completes(shell, line: list[str], offered: list[str]) -> None:
    assert completed(shell("completion", "bash").out, shell.root, *line) == offered


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish here")
@pytest.mark.parametrize(("line", "offered"), [("check --fail-on w", "warning"), ("ini", "init"), ("rule does-not", "does-not-fit")])
def test_fish_completes(shell, line: str, offered: str) -> None:
    shell.write("c.fish", shell("completion", "fish").out)
    driver = f"source c.fish; complete -C 'budgetlint {line}'"
    ran = subprocess.run(["fish", "--no-config", "-c", driver], cwd=shell.root, text=True, capture_output=True, timeout=30)
    assert [row.split("\t")[0] for row in ran.stdout.splitlines()] == [offered]


def test_an_unknown_shell(shell) -> None:
    assert shell("completion", "csh").code == 2
