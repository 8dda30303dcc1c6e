"""What the hook adds to a commit: ``python benchmarks/hook_speed.py [--files 300]``, against yamllint on the same file.

A repository of small configs of seven formats is written to a temporary folder, with DeepSpeed files, scripts and a budget; one file
of it has changed. Each figure is CPU time, user and system, of a fresh process from start to end, the least of some repeats; byte
code is compiled before. *Under pre-commit* is the whole of ``pre-commit run``, less the same with a hook that does nothing.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from read_speed import cost, write_files

ENGINE = '{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto"}\n'
BUDGET = "device 8x h200\nreserve 4GiB\nstack transformers@5.24 trl@1.16 torch@2.13\n"
RUNS_OF_AN_ENGINE = 10
CONFIG = "repos:\n- repo: local\n  hooks:\n  - {{id: x, name: x, entry: '{entry}', language: system, require_serial: true}}\n"


def write_repository(folder: Path, count: int) -> None:
    """``count`` configs; every DeepSpeed file is named by ten of TRL's, and every tenth of those is started by a script."""
    write_files(folder, count)
    trainers = sorted(folder.iterdir())[2::7]
    for n, path in enumerate(trainers):
        engine = f"engine-{n // RUNS_OF_AN_ENGINE}.json"
        (folder / engine).write_text(ENGINE, encoding="utf-8")
        path.write_text(path.read_text(encoding="utf-8") + f"deepspeed: {engine}\n", encoding="utf-8")
        if n % RUNS_OF_AN_ENGINE == 0:
            (folder / f"start-{n}.sh").write_text(f"torchrun --nproc_per_node 8 sft.py --config {path.name}\n", encoding="utf-8")
    (folder / "card.budget").write_text(BUDGET, encoding="utf-8")
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-qm", "all"]):
        subprocess.run(["git", *command], cwd=folder, check=True)


EDITED = ("sh", "-c", 'echo >> "$0"; exec "$@"')
"""A commit is of something new: the file has changed before each repeat, so that no cache knows the answer."""

CHANGED = (
    ("a config", "run-0000.yaml"),
    ("a config with an engine and a script", "run-0002.yaml"),
    ("a DeepSpeed file of ten runs", "engine-0.json"),
    ("a script", "start-0.sh"),
)


def measured(report: Callable[[Path, int, int], None], about: str | None, *, files: int, repeats: int) -> None:
    """``report`` in a repository of so many files, as the command line says, with a folder for its cache beside."""
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument("--files", type=int, default=files)
    parser.add_argument("--repeats", type=int, default=repeats)
    asked = parser.parse_args()
    with TemporaryDirectory() as name:
        folder, cache = Path(name, "repository"), Path(name, "cache")
        folder.mkdir()
        write_repository(folder, asked.files)
        os.chdir(folder)
        report(cache, asked.files, asked.repeats)


def _report(cache: Path, files: int, repeats: int) -> None:
    python, first = sys.executable, CHANGED[0][1]
    hook = [python, "-m", "budgetlint", "check", "--force-exclude"]
    print(f"{files} configs, one file changed; CPU seconds, the least of {repeats}")
    peer = cost([*EDITED, first, python, "-m", "yamllint", first], cache, repeats).cpu
    print(f"{'an empty process':<44}{cost([python, '-c', ''], cache, repeats).cpu:>8.3f} s")
    print(f"{'yamllint ' + first:<44}{peer:>8.3f} s")
    for told, path in CHANGED:
        ours = cost([*EDITED, path, *hook, path], cache, repeats).cpu
        print(f"{f'budgetlint, {told}':<44}{ours:>8.3f} s{ours / peer:>8.2f} x yamllint")
    print(f"{'budgetlint, everything':<44}{cost([*EDITED, first, *hook, '.'], cache, repeats).cpu:>8.3f} s")
    added = [_under_pre_commit(entry, first, cache, repeats) for entry in (["true"], hook, [python, "-m", "yamllint"])]
    print(f"{'under pre-commit, budgetlint adds':<44}{added[1] - added[0]:>8.3f} s")
    print(f"{'under pre-commit, yamllint adds':<44}{added[2] - added[0]:>8.3f} s")


def _under_pre_commit(entry: Sequence[str], path: str, cache: Path, repeats: int) -> float:
    config = Path(".pre-commit-config.yaml")
    config.write_text(CONFIG.format(entry=" ".join(entry)), encoding="utf-8")
    subprocess.run(["git", "add", str(config)], check=True)
    return cost([*EDITED, path, sys.executable, "-m", "pre_commit", "run", "--files", path], cache, repeats).cpu


if __name__ == "__main__":
    measured(_report, __doc__, files=300, repeats=7)
