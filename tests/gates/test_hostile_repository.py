"""A repository with everything at once that a stranger may propose, checked through the steps of ``action.yml``."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SECRET = "wJalrXUtnFEMI/K7MDENG"
HF = (
    "model_name_or_path: Qwen/Qwen2.5-7B\nper_device_train_batch_size: 1\nnum_train_epochs: 1\ngradient_accumulation_steps: 4\n"
    "output_dir: x\n"
)
TOO_LARGE = HF.replace("2.5-7B", "2.5-72B").replace("size: 1", "size: 64") + "max_length: 32768\nbf16: true\n"
COMMANDS = "adamw\\n::add-mask::error\\n::stop-commands::tok\\n::set-output name=exit-code::0\\n##[set-output name=exit-code;]0"


def _code(place: Path, mark: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"import pathlib; pathlib.Path({str(mark)!r}).write_text('ran')\nRULES = []\n")


def _pickled(place: Path, mark: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(b"0" * 64 + b"\n" + f"cos\nsystem\n(S'touch {mark}'\ntR.".encode())


def _executable(place: Path, mark: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\ntouch {mark}\n")
    place.chmod(0o755)


def lay(root: Path, home: Path, mark: Path) -> None:
    """Everything that runs, leaks, loses, hides or never ends."""
    (home / "credentials").write_text(f"aws_secret_access_key = {SECRET}\n")
    (home / "victim").mkdir()
    for number in range(50):
        (home / "victim" / f"{number:064x}.json").write_text("precious")
    write = lambda path, text: ((root / path).parent.mkdir(parents=True, exist_ok=True), (root / path).write_text(text))  # noqa: E731
    # code that would run
    for name in ("evil_plug", "json", "lark", "pydantic", "ruamel", "difflib", "tomllib", "hashlib"):
        _code(root / f"{name}.py", mark)
    write("evil.egg-info/entry_points.txt", "[budgetlint.rules]\nx = evil_plug:RULES\n")
    write(".local/lib/evil-1.dist-info/entry_points.txt", "[budgetlint.rules]\nx = evil_plug:RULES\n")
    _pickled(root / ".cache" / "budgetlint" / "grammar-fc57e4082ac2c536.lark", mark)
    for name in ("git", ".venv/bin/budgetlint", "bin/git", "nvidia-smi"):
        _executable(root / name, mark)
    write("train.sh", f"touch {mark}\n$(touch {mark})\ntorchrun train.py `touch {mark}` --config big/t.yaml\n")
    write("job.sh", "trl sft --config env/t.yaml\ntrl sft --config big/t.yaml\n")
    write("train.py", f"open({str(mark)!r}, 'w')\nfrom transformers import TrainingArguments\nTrainingArguments(output_dir='x')\n")
    # files that would be seen, or lost
    (root / "x.budget").symlink_to("../home/credentials")
    (root / "team.budget").symlink_to(home / "credentials")
    write("b.budget", "device 24GiB\n")
    write("sub/b.budget", 'device 24GiB\ninclude "../team.budget"\ninclude "../../home/credentials"\n')
    (root / ".budgetlint_cache").symlink_to("../home/victim")
    (root / "budgetlint.sarif").symlink_to("../home/credentials")
    (root / "linked").symlink_to("../home")
    # text that would be a command, or markup
    write("a.yaml", HF + f'optim: "{COMMANDS}"\nlr_scheduler_type: "[x](javascript:1) <img src=x onerror=1> @everyone"\n')
    write("n\n::error title=pwn::owned\n.yaml", HF + "fp16: true\nbf16: true\n")
    write("##[error]pwn.yaml", HF + "fp16: true\nbf16: true\n")
    write("\x1b[31mred\x07.yaml", HF + "fp16: true\nbf16: true\n")
    # what would hide a run that cannot fit
    write("env/t.yaml", TOO_LARGE)
    write("big/pyvenv.cfg", "")
    write("big/t.yaml", TOO_LARGE)
    # what would crash, or never end
    write("inf.yaml", HF + "learning_rate: 1e400\nsave_steps: .inf\nwarmup_ratio: .nan\nmax_steps: 1e999\n")
    write("digits.yaml", "base_model: x\nsequence_len: 512\nmicro_batch_size: 1\ntiled_mlp: \u00b2\nnum_epochs: --1\n")
    write("documents.yaml", HF + "---\n" * 40_000)
    write("keys.yaml", HF + "bf16: true\n" * 16_000)
    write(
        "Dockerfile",
        "FROM x\nENV A0=x\n" + "".join(f"ENV A{i}=$A{i - 1}$A{i - 1}\n" for i in range(1, 80)) + "CMD torchrun train.py $A79\n",
    )
    os.mkfifo(root / "pipe.yaml")
    (root / "zero.yaml").symlink_to("/dev/zero")
    (root / "mem.yaml").symlink_to("/proc/self/mem")
    (root / "circle.yaml").symlink_to("circle.yaml")
    deep = root
    for _ in range(200):
        deep = deep / "d"
    deep.mkdir(parents=True)


@pytest.fixture
def hostile(repo, runner: Callable, tmp_path: Path) -> tuple[Callable, Path, Path]:
    home, mark = tmp_path / "home", tmp_path / "RAN"
    home.mkdir()
    lay(repo.root, home, mark)
    assert repo.commit("--no-verify").code == 0
    environ = {
        "PYTHONPATH": f"{repo.root}{os.pathsep}", "XDG_CACHE_HOME": ".cache", "GITHUB_ACTIONS": "true", "CI": "true",
        "PATH": f"{repo.environ['PATH']}{os.pathsep}.{os.pathsep}{repo.root}/bin",
    }  # fmt: skip
    return (lambda program: _checked(runner, environ, program)), home, mark


def _checked(runner: Callable, environ: dict[str, str], program: str | None):
    run = runner(budget="device 24GiB")
    if program is not None:
        run.known["steps.install.outputs.program"] = program
    return run, run.step("check", **environ)


OWN = re.compile(r"::(error|warning|notice) [^\n]*")


def test_nothing_runs_nothing_leaks_and_the_gate_is_shut(hostile, repo) -> None:
    check, home, mark = hostile
    run, ran = check(None)
    assert ran.code == 1, ran.out
    assert not mark.exists()
    summary = run.summary.read_text(encoding="utf-8")
    sarif = Path(run.outputs()["sarif"]).read_text(encoding="utf-8")
    told = ran.out + summary + sarif
    assert SECRET not in told
    assert "Traceback" not in told
    # the user's files are as they were
    assert (home / "credentials").read_text() == f"aws_secret_access_key = {SECRET}\n"
    assert {path.read_text() for path in (home / "victim").iterdir()} == {"precious"}
    assert len(list((home / "victim").iterdir())) == 50
    # no line is a command but the report's own
    assert [line for line in ran.out.splitlines() if line.strip().startswith("::") and not OWN.fullmatch(line)] == []
    assert "##[" not in ran.out and "\x1b" not in told and "\x07" not in told
    # what was hidden is found, what was passed over is named
    found = {(one["ruleId"], _place(one)) for one in json.loads(sarif)["runs"][0]["results"]}
    assert {("BL101", "env/t.yaml"), ("BL101", "big/t.yaml")} <= found
    assert "Passed over" in ran.out and "leads out of the project" in ran.out


def _place(result) -> str:
    return result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]


def test_beside_a_reader_that_crashes_the_gate_is_shut_too(hostile, repo, tmp_path: Path) -> None:
    """A bug is 2, and wins over the findings of the others."""
    check, _, mark = hostile
    program = tmp_path / "crashing"
    program.write_text(
        f"#!{Path(repo.environ['PATH'].split(os.pathsep)[0]) / 'python'} -P\n"
        "import sys\nfrom budgetlint.isolation import search_path\nsearch_path.leave(sys.argv[1:])\n"
        "import budgetlint.resolve.project as project\nreal = project.load\n"
        "def load(source):\n    if source.path == 'a.yaml':\n        raise RuntimeError('a bug')\n    return real(source)\n"
        "project.load = load\nfrom budgetlint.__main__ import run\nrun()\n"
    )
    program.chmod(0o755)
    run, ran = check(str(program))
    assert ran.code == 2, ran.out
    assert not mark.exists()
    found = {(one["ruleId"], _place(one)) for one in json.loads(Path(run.outputs()["sarif"]).read_text())["runs"][0]["results"]}
    assert {("BL998", "a.yaml"), ("BL101", "env/t.yaml")} <= found
