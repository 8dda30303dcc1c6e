"""Green means judged: what could not be told, written, read or worked out is in the exit code, and in a line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

PROGRAM = str(Path(sys.executable).parent / "budgetlint")
TRAIN = (
    "model_name_or_path: Qwen/Qwen2.5-0.5B\nper_device_train_batch_size: 1\nnum_train_epochs: 1\noutput_dir: x\nlearning_rate: 0.00002\n"
)
TOO_LARGE = (
    "model_name_or_path: Qwen/Qwen2.5-72B\nper_device_train_batch_size: 64\nnum_train_epochs: 1\ngradient_accumulation_steps: 4\n"
    "output_dir: x\nmax_length: 32768\nbf16: true\n"
)
CARD = "device 24GiB\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    (tmp_path / "project" / "a.budget").write_text(CARD)
    return tmp_path / "project"


def bash(folder: Path, script: str, **environ: str) -> subprocess.CompletedProcess[str]:
    known = {**os.environ, "B": PROGRAM, **environ}
    ran = subprocess.run(["bash", "-c", script], cwd=folder, env=known, capture_output=True, text=True, timeout=60, check=False)
    assert "Traceback" not in ran.stderr and "Exception ignored" not in ran.stderr, ran.stderr
    return ran


# -- output that nobody can take ---------------------------------------------------------------------------------------------

OUTPUTS = {
    "a reader that goes away": ("set -o pipefail; $B check --no-cache {more} | true", ""),
    "a full disk": ("$B check --no-cache {more} > /dev/full", "standard output cannot be written"),
    "a closed stream": ("$B check --no-cache {more} >&-", "standard output cannot be written"),
}


@pytest.mark.parametrize(("script", "told"), OUTPUTS.values(), ids=OUTPUTS)
@pytest.mark.parametrize("more", ["", "--format concise", "--format json"])
@pytest.mark.parametrize(("text", "code"), [(TRAIN, 2), (TOO_LARGE, 1)], ids=["clean", "too large"])
def test_the_code_is_the_verdicts_own(folder: Path, script: str, told: str, more: str, text: str, code: int) -> None:
    for number in range(60):  # more than a pipe holds
        (folder / f"t{number}.yaml").write_text(text)
    ran = bash(folder, script.format(more=f"{more} --info"))
    assert ran.returncode == code, ran.stderr
    assert told in ran.stderr


@pytest.mark.parametrize("words", ["check", "files", "estimate -", "fmt -", "rule --all", "devices", "--help", "no-such-command"])
@pytest.mark.parametrize("streams", ["> /dev/full", ">&-", "2> /dev/full", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_no_stream_brings_a_traceback(folder: Path, words: str, streams: str) -> None:
    assert bash(folder, f"echo 'device 24GiB' | $B {words} {streams}").returncode in (0, 1, 2)


def test_a_working_directory_that_is_gone(folder: Path) -> None:
    ran = bash(folder, "mkdir gone; cd gone; rmdir ../gone; $B check")
    assert (ran.returncode, "the working directory cannot be read" in ran.stderr) == (2, True)


# -- what cannot be written --------------------------------------------------------------------------------------------------


def blocked(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """No file of this name can be written, as on a full or read-only disk (tests may run as root, whom no mode stops)."""
    import budgetlint.documents.write as module

    real = module.replace

    def replacing(target: Path, raw: bytes) -> None:
        if target.name == name:
            raise OSError(28, "No space left on device")
        real(target, raw)

    monkeypatch.setattr(module, "replace", replacing)


FIXABLE = TRAIN.replace("0.00002", "2e-5")


def test_a_fix_that_is_not_written_is_not_applied(shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.write("a.yaml", FIXABLE)
    shell.write("b.yaml", FIXABLE)
    before = shell("check", "--no-cache")
    blocked(monkeypatch, "a.yaml")
    ran = shell("check", "--fix", "--no-cache")
    assert ran.code == 2
    assert "1 fix applied in b.yaml" in ran.err
    assert "a.yaml cannot be written: No space left on device" in ran.err
    assert "a.yaml:" in ran.out and "No problem" not in ran.out
    assert (shell.root / "a.yaml").read_text() == FIXABLE
    assert before.code == shell("check", "--no-cache", "a.yaml").code


def test_a_report_that_is_not_written(shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.write("a.budget", CARD)
    shell.write("r.sarif", "whole")
    blocked(monkeypatch, "r.sarif")
    ran = shell("check", "--format", "sarif=r.sarif", "--format", "json=r.json", "--format", "concise")
    assert ran.code == 2
    assert "--format sarif=r.sarif" in ran.err and "No space left" in ran.err
    assert "No problem" in ran.out  # the others are written
    assert json.loads((shell.root / "r.json").read_text())["version"] == 1
    assert (shell.root / "r.sarif").read_text() == "whole"


@pytest.mark.parametrize(
    ("words", "name"),
    [(("fmt", "a.budget"), "a.budget"), (("init",), "training.budget"), (("check", "--baseline", "known.json"), "known.json")],
    ids=" ".join,
)
def test_a_file_that_is_not_written_is_exit_2_and_a_line(shell, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], name: str) -> None:
    shell.write("a.budget", "  device    24GiB\n")
    blocked(monkeypatch, name)
    ran = shell(*words)
    assert ran.code == 2
    assert f"{name} cannot be written: No space left on device" in ran.err
    assert "formatted" not in ran.out


# -- what cannot be read -----------------------------------------------------------------------------------------------------

SETTINGS = {
    "Latin-1": b"[project]\nname = 'caf\xe9'\n[tool.budgetlint]\nrequire-verdict = true\n",
    "NUL": b"[tool.budgetlint]\nrequire-verdict = true\n\0",
    "a device": "/dev/zero",
    "a process's memory": "/proc/self/mem",
    "a link to itself": "pyproject.toml",
}


@pytest.mark.parametrize("content", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("words", [("check",), ("check", "t.yaml"), ("estimate",), ("files",)], ids=" ".join)
def test_settings_that_cannot_be_read_stop_everything(shell, content: bytes | str, words: tuple[str, ...]) -> None:
    """They may say what fails."""
    shell.write("t.yaml", TRAIN)
    if isinstance(content, bytes):
        shell.write("pyproject.toml", content)
    else:
        (shell.root / "pyproject.toml").symlink_to(content)
    ran = shell(*words)
    assert (ran.code, ran.out) == (2, "")
    assert "pyproject.toml" in ran.err


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch):
    """Closes a folder; for root, whom no mode keeps out, it only seems to be."""

    def close(folder: Path) -> None:
        folder.chmod(0)
        if os.geteuid() == 0:
            scandir, opened = os.scandir, os.open

            def refuse(path, *rest, real, **more):
                if os.path.normpath(str(path)) == str(folder):
                    raise PermissionError(13, "Permission denied")
                return real(path, *rest, **more)

            monkeypatch.setattr(os, "scandir", partial(refuse, real=scandir))
            monkeypatch.setattr(os, "open", partial(refuse, real=opened))

    return close


@pytest.mark.parametrize(("tracked", "code"), [(True, 1), (None, 1), (False, 0)], ids=["tracked", "no repository", "not tracked"])
def test_a_folder_that_nobody_may_open(shell, tmp_path: Path, closed, tracked: bool | None, code: int) -> None:
    shell = replace(shell, root=tmp_path / "project")
    shell.write("a.budget", CARD)
    shell.write("sub/t.yaml", TRAIN)
    (tmp_path / ".git").rmdir()
    if tracked is not None:
        subprocess.run(["git", "init", "-q", str(shell.root)], check=True)
        subprocess.run(["git", "-C", str(shell.root), "add", "."] if tracked else ["true"], check=True)
    closed(shell.root / "sub")
    ran = shell("check")
    (shell.root / "sub").chmod(0o755)
    assert ran.code == code, ran.out
    assert ("error[BL910]: sub cannot be read: Permission denied" in ran.out) is bool(code)
    assert code or "Passed over: sub/ (cannot be opened, and git tracks nothing in it)" in ran.out


@pytest.mark.parametrize("depth", [1_500, 3_000])
def test_folders_deeper_than_python_counts(shell, depth: int) -> None:
    here = Path.cwd()
    os.chdir(shell.root)
    try:
        for _ in range(depth):
            Path("d").mkdir()
            os.chdir("d")
        Path("a.budget").write_text(CARD)
    finally:
        os.chdir(here)
    ran = shell("check")
    assert ran.code in ((0,) if depth < 2_000 else (0, 1))
    subprocess.run(["rm", "-rf", str(shell.root / "d")], check=True)


# -- what is passed over -----------------------------------------------------------------------------------------------------

PASSED = {
    "env": "not tracked by git",
    ".env": "not tracked by git",
    "venv": "not tracked by git",
    "wandb": "not tracked by git",
    "deep/er/env": "not tracked by git",
    "vendor": "vendored",
    "third_party": "vendored",
    "node_modules": "vendored",
    ".history": "a copy of an older state",
    "configs_backup": "a copy of an older state",
    "old.bak": "a copy of an older state",
}


@pytest.mark.parametrize("tracked", [True, False], ids=["tracked", "not tracked"])
@pytest.mark.parametrize("name", [*PASSED, "x"])
def test_what_is_passed_over_is_named(shell, name: str, tracked: bool) -> None:
    subprocess.run(["git", "init", "-q", str(shell.root)], check=True)
    shell.write("a.budget", CARD)
    shell.write(f"{name}/t.yaml", TOO_LARGE)
    if name == "x":
        shell.write("x/pyvenv.cfg", "")
    if tracked:
        subprocess.run(["git", "-C", str(shell.root), "add", "-f", "."], check=True)
    why = PASSED.get(name, "not tracked by git")
    ran = shell("check")
    if tracked and why == "not tracked by git":
        assert ran.code == 1 and "Passed over" not in ran.out
        return
    assert ran.code == 0
    assert ran.last == f"Passed over: {name}/ ({why}); name one on the command line to check it."
    assert shell("check", "--format", "json").json["summary"]["passed_over"] == [{"path": f"{name}/", "why": why}]
    assert shell("check", ".", name).code == 1
    for format in ("concise", "github", "markdown", "sarif"):
        assert "Passed over" in shell("check", "--format", format).out


@pytest.mark.parametrize("tracked", [True, False], ids=["tracked", "not tracked"])
def test_copies_of_editors(shell, tracked: bool) -> None:
    subprocess.run(["git", "init", "-q", str(shell.root)], check=True)
    for name in ("a.budget", "backup/b.budget", "backup.d/c.budget"):
        shell.write(name, CARD)
    for name in (".ipynb_checkpoints/t.yaml", "t.bak.yaml"):
        shell.write(name, TOO_LARGE)
    if tracked:
        subprocess.run(["git", "-C", str(shell.root), "add", "-f", "."], check=True)
    ran = shell("check")
    assert ran.code == 0 and "3 budgets" in ran.out
    passed = [".ipynb_checkpoints/", "t.bak.yaml"] if tracked else ["t.bak.yaml"]  # nobody looks for what a tool keeps
    assert ran.last == f"Passed over: {' and '.join(passed)} (a copy of an older state); name one on the command line to check it."
    assert shell("check", "t.bak.yaml").code == 1


def test_a_data_set_is_no_config(shell) -> None:
    shell.write("a.budget", CARD)
    shell.write("data/alpaca.json", "[" + '{"a": 1},' * 1_000_000 + "{}]")
    ran = shell("check")
    assert ran.code == 0
    assert ran.last == "Passed over: data/alpaca.json (larger than any config); name one on the command line to check it."
    assert shell("check", "data/alpaca.json").code == 1


def test_many_are_counted(shell) -> None:
    shell.write("a.budget", CARD)
    for name in "abcde":
        shell.write(f"{name}/vendor/t.yaml", TOO_LARGE)
    assert shell("check").last.startswith("Passed over: a/vendor/, b/vendor/, c/vendor/ and 2 more (vendored);")


def test_a_cache_sees_what_is_passed_over(shell, tmp_path_factory: pytest.TempPathFactory) -> None:
    shell = replace(shell, environ={"HOME": str(tmp_path_factory.mktemp("home"))})
    shell.write("a.budget", CARD)
    assert "Passed over" not in shell("check").out
    shell.write("vendor/t.yaml", TOO_LARGE)
    assert "Passed over: vendor/" in shell("check").out


# -- what was not judged -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["accelerate launch train.py", "torchrun train.py --output_dir x", "axolotl train no-such.yaml"])
def test_a_command_that_was_not_judged_is_no_good_news(shell, command: str) -> None:
    shell.write("a.budget", CARD)
    ran = shell("check", "--", *command.split())
    assert "No problem" not in ran.out
    assert "No run was judged" in ran.out or ran.code == 2


# -- crashes -----------------------------------------------------------------------------------------------------------------


def crashing(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    """A bug in a part of budgetlint that only ``bad.yaml`` meets."""

    def boom(real):
        def inner(*args, **more):
            if any("bad" in str(getattr(arg, "path", getattr(arg, "name", ""))) for arg in args):
                raise ValueError("a bug\n::error::not a command")
            return real(*args, **more)

        return inner

    import budgetlint.resolve.judged_runs
    import budgetlint.resolve.project
    import budgetlint.resolve.runs

    module, name = {
        "a reader": (budgetlint.resolve.project, "load"),
        "an estimate": (budgetlint.resolve.judged_runs, "run_contexts"),
    }[part]
    real = getattr(module, name)
    if part == "an estimate":

        def inner(work, run):
            if "bad" in run.name:
                raise ValueError("a bug")
            return real(work, run)

        monkeypatch.setattr(module, name, inner)
    else:
        monkeypatch.setattr(module, name, boom(real))


@pytest.mark.parametrize("part", ["a reader", "an estimate"])
@pytest.mark.parametrize(("text", "what"), [(TRAIN, "fits"), (TOO_LARGE, "does not fit")])
def test_a_crash_is_exit_2_and_the_others_are_checked(shell, monkeypatch: pytest.MonkeyPatch, part: str, text: str, what: str) -> None:
    shell.write("a.budget", CARD)
    shell.write("bad.yaml", TRAIN)
    shell.write("good.yaml", text + "max_length: 512\n" * (text == TRAIN))
    crashing(monkeypatch, part)
    ran = shell("check", "--no-cache")
    assert ran.code == 2
    assert "error[BL998]" in ran.out and "bad.yaml" in ran.out
    assert f"1 {what}" in ran.out
    assert "Traceback" in ran.err  # for whoever reports it
    assert json.loads(shell("check", "--no-cache", "--format", "json").out)["summary"]["crashed"] == 1
    assert shell("check", "--no-cache", "--ignore", "internal-error", "--fail-on", "error").code == 2


def test_a_bug_in_a_command_is_exit_2(shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budgetlint.commands.files.project_of", lambda *_: 1 / 0)
    ran = shell("files")
    assert (ran.code, ran.out) == (2, "")
    assert "internal error: a bug in budgetlint" in ran.err


@pytest.mark.parametrize("words", [("files",), ("estimate",), ("solve",)], ids=" ".join)
def test_every_command_says_that_a_file_was_not_read(shell, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]) -> None:
    shell.write("a.budget", CARD)
    shell.write("bad.yaml", TRAIN)
    shell.write("good.yaml", TRAIN)
    crashing(monkeypatch, "a reader")
    ran = shell(*words)
    assert ran.code == 2
    assert "good.yaml" in ran.out and "bad.yaml" in ran.out + ran.err


LEFT_OUT = ('ignore = ["all"]', 'select = ["BL601"]', 'levels = {does-not-fit = "off"}', 'per-file-ignores = {"*" = ["all"]}')


@pytest.mark.parametrize("setting", LEFT_OUT)
def test_what_settings_leave_out_is_still_in_the_last_line(shell, setting: str) -> None:
    """Whoever may change the settings may say that nothing fails; not that everything fits."""
    shell.write("a.budget", "device 24GiB; model qwen2.5-72b; batch 64; seq 32768; optimizer adamw\n")
    shell.write("pyproject.toml", f"[tool.budgetlint]\n{setting}\n")
    ran = shell("check", "--no-cache", "--require-verdict", "--fail-on", "error")
    assert (ran.code, ran.last) == (0, "1 run judged: 1 does not fit.")


@pytest.mark.parametrize(("setting", "told"), [('"b.json"', "does not exist"), ('"../elsewhere.json"', "leads out of the project")])
def test_a_baseline_that_the_settings_name_is_never_made_on_the_way(shell, setting: str, told: str) -> None:
    shell.write("a.budget", "device 24GiB; model qwen2.5-72b; batch 64; seq 32768; optimizer adamw\n")
    shell.write("pyproject.toml", f"[tool.budgetlint]\nbaseline = {setting}\n")
    ran = shell("check", "--no-cache")
    assert ran.code == 2
    assert told in ran.err
    assert not (shell.root / "b.json").exists()
