"""Kills `check` in the middle, again and again: ``python killed.py FOLDER TIMES`` prints what it found as JSON.

A process of its own: it forks. Half of the children are killed at the n-th thing that they do to a file (open for writing, rename,
remove, make a folder), so that each is reached; the others after some random time, in the middle of whatever they do.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

from budgetlint.cli import main

CONFIG = """\
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
evaluation_strategy: "no"
per_device_train_batch_size: {n}
learning_rate: 1e-4
lr_scheduler_type: cosine
logging_steps: 10
bf16: true
"""
COMMANDS = {"fix": ["check", "--fix", "--cache", "."], "cache": ["check", "--cache", "."]}
"""The cache is asked for: where `CI` is set it is off otherwise."""
FILES = 5
CHANGES = {"fix": 4 * FILES, "cache": 10}
"""Changes to files that a command makes, at least: opened for writing, mode, rename; three files of the cache."""
STACK = "stack transformers@4.46"


def write(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "team.budget").write_text(f"device 24GiB\n{STACK}\n")
    for n in range(1, FILES + 1):
        (folder / f"run-{n}.yaml").write_text(CONFIG.format(n=n))


def said(arguments: list[str]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        main(arguments)
    return out.getvalue()


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.glob("run-*.yaml"))}


def kill_at(count: int) -> None:
    """This process ends at the ``count``-th change to a file."""
    left = [count]

    def watch(event: str, given: tuple[object, ...]) -> None:
        writes = event == "open" and isinstance(given[2], int) and given[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if writes or event in ("os.rename", "os.remove", "os.mkdir", "os.chmod"):
            left[0] -= 1
            if left[0] <= 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


def child(arguments: list[str], count: int | None, seconds: float) -> bool:
    """Run the command in a child that is killed; was it?"""
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException):
            if count is not None:
                kill_at(count)
            said(arguments)
        os._exit(0)
    if count is None:
        time.sleep(random.uniform(0, seconds))
        os.kill(pid, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(pid, 0)[1])


def once(folder: Path, mode: str, count: int | None, seconds: float, fixed: dict[str, str]) -> dict[str, object]:
    shutil.rmtree(folder, ignore_errors=True)
    write(folder)
    os.chdir(folder)
    before = texts(folder)
    killed = child(COMMANDS[mode], count, seconds)
    after = texts(folder)
    torn = [name for name, text in after.items() if text not in (before[name], fixed[name])]
    return {"mode": mode, "killed": killed, "torn": torn, "lost": sorted(before.keys() - after.keys()), "changed": after != before,
            "lies": said(["check", "--cache", "."]) != said(["check", ".", "--no-cache"])}  # fmt: skip


def usual(folder: Path, mode: str) -> float:
    """Seconds that the command takes when everything is loaded."""
    shutil.rmtree(folder, ignore_errors=True)
    write(folder)
    os.chdir(folder)
    started = time.monotonic()
    said(COMMANDS[mode])
    return time.monotonic() - started


def run(folder: Path, times: int) -> list[dict[str, object]]:
    random.seed(1)
    usual(folder, "fix")
    seconds = {mode: usual(folder, mode) for mode in ("cache", "fix")}
    fixed = texts(folder)
    counts = {mode: [1 + n % most for n in range(times // 4)] for mode, most in CHANGES.items()}
    plan = [(mode, count) for mode in COMMANDS for count in (*counts[mode], *[None] * (times // 4))]
    return [once(folder, mode, count, seconds[mode], fixed) for mode, count in plan]


if __name__ == "__main__":
    print(json.dumps(run(Path(sys.argv[1]).resolve() / "project", int(sys.argv[2]))))
