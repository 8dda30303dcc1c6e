"""``files``, ``fmt``, ``rule``, ``devices``, ``models``, ``optimizers``; and how the program starts and stops."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

UGLY = "# the card\ndevice   24GiB ;model  qwen3-8b\n"
TIDY = "# the card\ndevice 24GiB; model qwen3-8b\n"


# -- files -------------------------------------------------------------------------------------------------------------


def test_files_says_what_each_file_is_taken_for(project) -> None:
    project.write("ds/zero2.json", '{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": 4}')
    project.write("notes.json", "{}")
    project.write("torn.yaml", "a: [1, 2\n")
    lines = {line.split()[0]: line for line in project("files").out.splitlines()}
    assert lines["sft.yaml"].split()[1:] == ["trl", "run", "sft.yaml"]
    assert lines["card.budget"].split()[1:] == ["budget", "run", "sft.yaml"]
    assert lines["ds/zero2.json"].split()[1:] == ["deepspeed"]
    assert lines["notes.json"].split()[1:] == ["-"]
    assert "not valid YAML" in lines["torn.yaml"]
    assert project("files").code == 0


def test_files_walks_hidden_folders_but_no_environments(shell) -> None:
    for folder in (".github", "configs", ".venv", "node_modules", ".git", "wandb"):
        shell.write(f"{folder}/a.yaml", "a: 1\n")
    shell.write("envs/py/pyvenv.cfg", "")
    shell.write("envs/py/a.yaml", "a: 1\n")
    assert [line.split()[0] for line in shell("files").out.splitlines()] == [".github/a.yaml", "configs/a.yaml"]


def test_excluded_files_are_not_walked(project) -> None:
    project.write("pyproject.toml", '[tool.budgetlint]\nexclude = ["sft.*"]\n')
    assert "sft.yaml" not in [line.split()[0] for line in project("files").out.splitlines()]


def test_no_files(shell) -> None:
    ran = shell("files")
    assert (ran.code, ran.out) == (0, "no file with a config's suffix here\n")
    assert shell("files", "gone").code == 2


# -- fmt ---------------------------------------------------------------------------------------------------------------


def test_fmt_writes_and_is_idempotent(shell) -> None:
    path = shell.write("a.budget", UGLY)
    assert (shell("fmt", "a.budget").out, path.read_text(encoding="utf-8")) == ("a.budget formatted\n", TIDY)
    assert (shell("fmt", "a.budget").out, path.read_text(encoding="utf-8")) == ("", TIDY)


@pytest.mark.parametrize(
    ("option", "said"), [("--check", "a.budget would be formatted"), ("--diff", "-device   24GiB ;model  qwen3-8b\n+device 24GiB; model")]
)
def test_fmt_that_changes_nothing(shell, option: str, said: str) -> None:
    path = shell.write("a.budget", UGLY)
    ran = shell("fmt", option, "a.budget")
    assert (ran.code, path.read_text(encoding="utf-8")) == (1, UGLY)
    assert said in ran.out
    shell.write("a.budget", TIDY)
    assert (shell("fmt", option, "a.budget").code, shell("fmt", option, "a.budget").out) == (0, "")


def test_fmt_of_standard_input(shell) -> None:
    assert shell("fmt", "-", stdin=UGLY).out == TIDY
    assert [statement["keyword"] for statement in shell("fmt", "-", "--format", "json", stdin=UGLY).json["statements"]] == [
        "device",
        "model",
    ]


def test_fmt_hands_on_the_bytes_of_a_text_in_any_locale(shell) -> None:
    """As a filter of an editor: in ASCII's locale, too, and with a file's line ends and mark."""
    for text in (UGLY.replace("the card", "é 👩‍💻 \u202e"), UGLY.replace("\n", "\r\n"), f"\ufeff{UGLY}"):
        whole = shell.write("a.budget", text)
        shell("fmt", "a.budget")
        for environ in ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "latin-1"}):
            ran = raw("fmt", "-", cwd=shell.root, stdin=text.encode("utf-8"), **environ)
            assert (ran.returncode, ran.stdout, ran.stderr) == (0, whole.read_bytes(), b"")


@pytest.mark.parametrize(
    "command", [["fmt", "-"], ["estimate", "-"], ["solve", "-"], ["check", "-"], ["check", "--stdin-filename", "a.budget"]]
)
def test_standard_input_that_is_no_text_is_refused(shell, command: list[str]) -> None:
    for bytes_ in (b"device 24GiB # \xc3\x28\n", b"device 24GiB # \xe9\n", b"d\0e\0v\0"):
        ran = raw(*command, cwd=shell.root, stdin=bytes_, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
        assert (ran.returncode, ran.stdout) == (2, b"")
        assert ran.stderr.startswith(b"budgetlint: standard input ")
        assert ran.stderr.endswith(b": save it as UTF-8\n") or b"NUL bytes" in ran.stderr
        assert ran.stderr.count(b"\n") == 1


def test_fmt_hands_no_command_to_a_runner(shell, faults) -> None:
    text = "# ##[error]x\ndevice   24GiB\n"
    assert shell("fmt", "-", stdin=text).out == "# ##[error]x\ndevice 24GiB\n"
    assert "##\\[error]x" in shell("fmt", "-", stdin=text, terminal=True).out
    ran = shell("fmt", "-", stdin=text, environ={"GITHUB_ACTIONS": "true"})
    assert (ran.code, ran.out) == (2, "")


def test_fmt_of_a_broken_budget_changes_nothing_and_says_where(shell) -> None:
    path = shell.write("a.budget", "device 24GiB\nrun a {\n")
    for options in ([], ["--format", "json"]):
        ran = shell("fmt", *options, "a.budget")
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.startswith("a.budget:2:7: error BL001: the block that opens here is never closed\n")
    assert path.read_text(encoding="utf-8") == "device 24GiB\nrun a {\n"


def test_fmt_of_several_files(shell) -> None:
    shell.write("a.budget", UGLY)
    shell.write("b.budget", TIDY)
    assert shell("fmt", "--check", "b.budget").code == 0
    assert shell("fmt", "--check", "b.budget", "a.budget").code == 1


def test_fmt_never_touches_a_config(project, sft: str) -> None:
    assert project("fmt", "sft.yaml").code == 2
    assert (project.root / "sft.yaml").read_text(encoding="utf-8") == sft


# -- rule --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["does-not-fit", "BL101", "bl101"])
def test_rule_shows_a_page(shell, name: str) -> None:
    ran = shell("rule", name)
    assert ran.code == 0
    assert ran.out.startswith("BL101 does-not-fit\n")
    assert "# BL101 does-not-fit" in shell("rule", name, "--format", "markdown").out
    assert [rule["code"] for rule in shell("rule", name, "--format", "json").json["rules"]] == ["BL101"]


def test_rule_lists_all_and_families(shell) -> None:
    every = shell("rule", "--all").out
    assert every == shell("rule").out
    assert "BL101 does-not-fit" in every
    family = shell("rule", "BL1").out
    assert family.startswith("BL101 does-not-fit")
    assert "BL201" not in family


def test_every_page_can_be_shown(shell) -> None:
    for rule in shell("rule", "--all", "--format", "json").json["rules"]:
        for style in ("text", "markdown", "json"):
            assert shell("rule", rule["name"], "--format", style).code == 0


# -- catalogs ----------------------------------------------------------------------------------------------------------


CATALOGS = [
    ("devices", "NVIDIA GeForce RTX 4090", ["rtx-4090", "8.9", "GiB"]),
    ("devices", "t4", ["Tesla T4", "7.5", "14.56 GiB"]),
    ("models", "Qwen/Qwen2.5-7B", ["qwen2.5-7b", "7,615,616,512"]),
    ("optimizers", "adamw_bnb_8bit", ["adamw8bit", "block 256"]),
]


@pytest.mark.parametrize(("command", "name", "parts"), CATALOGS)
def test_a_row_by_any_of_its_names(shell, command: str, name: str, parts: list[str]) -> None:
    ran = shell(command, name)
    assert ran.code == 0
    for part in parts:
        assert part in ran.out


@pytest.mark.parametrize(("command", "least"), [("devices", 40), ("models", 40), ("optimizers", 40)])
def test_the_list_has_a_line_for_every_row(shell, command: str, least: int) -> None:
    rows = shell(command, "--format", "json").json[command]
    lines = shell(command).out.splitlines()
    assert len(rows) >= least
    assert {row["name"] for row in rows} <= {line.split()[0] for line in lines if line.strip()}


# -- starting and stopping ---------------------------------------------------------------------------------------------


def program(*argv: str, cwd: Path, stdin: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "budgetlint", *argv]
    return subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, text=True, timeout=60, env={**os.environ, **environ})


def raw(*argv: str, cwd: Path, stdin: bytes, **environ: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "budgetlint", *argv]
    return subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, timeout=60, env={**os.environ, **environ})


def test_the_program_itself(project) -> None:
    ran = program("check", "--format", "concise", cwd=project.root)
    assert (ran.returncode, ran.stderr) == (1, "")
    assert ran.stdout == project("check", "--format", "concise").out


def test_a_reader_that_goes_away_is_no_error(shell, repository: Path) -> None:
    """``budgetlint rule --all --format json | head -1``."""
    command = f"'{sys.executable}' -m budgetlint rule --all --format json | head -c 10; exit ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", command], cwd=shell.root, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_terminal_that_speaks_only_ascii(project) -> None:
    ran = program("estimate", cwd=project.root, PYTHONIOENCODING="ascii")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "live at the peak" in ran.stdout
