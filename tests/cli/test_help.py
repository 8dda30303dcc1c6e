"""``--help`` teaches by example: the examples are run on the example projects."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from importlib import import_module
from pathlib import Path

import pytest

from budgetlint.commands.parser import COMMANDS, EXAMPLES

EPILOGS = {name: import_module(f"budgetlint.commands.{name}").EPILOG for name in COMMANDS}
LINES = [(name, line.strip()) for name, text in {"": EXAMPLES, **EPILOGS}.items() for line in text.splitlines()[1:] if line]


def command(line: str) -> str:
    """Without the remark behind it."""
    return line.partition("  # ")[0].rstrip()


def words(line: str) -> tuple[list[str], str]:
    """The arguments of budgetlint in an example, and its standard input."""
    text = line.removeprefix('eval "$(').removesuffix(')"')
    given, _, piped = text.rpartition(" | ")
    return shlex.split(piped)[1:], " ".join(shlex.split(given)[1:])


@pytest.fixture
def examples(shell, repository: Path):
    """One folder with the files that the examples name."""
    for name in ("lora-32gb/sft.yaml", "lora-32gb/run.budget", "accelerate-fsdp/fsdp.yaml"):
        shutil.copy(repository / "examples" / name, shell.root)
    shell.write("job.log", "CUDA out of memory. Tried to allocate 1.16 GiB. GPU 0 has a total capacity of 31.50 GiB.\n")
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "first"]):
        subprocess.run(["git", *words], cwd=shell.root, check=True, timeout=30)
    return shell


@pytest.mark.parametrize("name", COMMANDS)
def test_help_ends_with_examples(name: str, capsys: pytest.CaptureFixture[str], shell) -> None:
    assert shell(name, "--help").code == 0
    shown = capsys.readouterr().out
    assert shown.rstrip().endswith(EPILOGS[name].rstrip())
    assert 2 <= len(EPILOGS[name].splitlines()) - 1 <= 5
    assert max(map(len, shown.splitlines())) <= 100


@pytest.mark.parametrize(("name", "line"), LINES, ids=[line for _, line in LINES])
def test_an_example_runs(name: str, line: str, examples) -> None:
    arguments, given = words(command(line))
    ran = examples(*arguments, stdin=given)
    if name == "probe":  # what it needs is not on every machine: then it says what to do
        assert (ran.code, bool(ran.out or ran.err)) in ((0, True), (2, True))
        return
    assert ran.code in (0, 1), ran.err
    assert ran.err == ""
    assert ran.out or "--diff" in arguments or name == "lsp"  # a server is silent until a client speaks


def test_every_example_is_of_its_command() -> None:
    assert all(f"budgetlint {name}" in line for name, line in LINES)
