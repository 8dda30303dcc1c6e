"""What a gate costs that judges a change: ``python benchmarks/compare_speed.py [--files 4000]``.

A repository of small configs of seven formats is committed to a temporary folder (`hook_speed`); then one line of one file changes.
``check --compare-with HEAD`` judges that change; beside it, in the same run, the changed file is checked by its name, and everything.
Each figure is CPU time, user and system, of a fresh process with what it starts (git), the least of some repeats; byte code is compiled
before, and nothing is remembered from one check to the next.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from hook_speed import measured
from read_speed import cost

CHANGED = (
    ("a config", "run-0000.yaml", r"(?m)^micro_batch_size: \d+", "micro_batch_size: 7"),
    ("a config with an engine and a script", "run-0002.yaml", r"(?m)^per_device_train_batch_size: \d+", "per_device_train_batch_size: 7"),
    ("a DeepSpeed file of ten runs", "engine-0.json", r'"stage": \d', '"stage": 2'),
    ("a script", "start-10.sh", "nproc_per_node 8", "nproc_per_node 4"),
    ("nothing that is read", "NOTES.txt", "$", "a word\n"),
)


def _report(cache: Path, files: int, repeats: int) -> None:
    check = [sys.executable, "-m", "budgetlint", "check", "--no-cache"]
    compare = [*check, "--compare-with", "HEAD"]
    print(f"{files} configs, one line changed; CPU seconds, the least of {repeats}")
    print(f"{'':<44}{'by name':>9}{'compared':>10}{'ratio':>8}")
    for told, path, old, new in CHANGED:
        before = Path(path).read_text(encoding="utf-8") if Path(path).exists() else None
        after, count = re.subn(old, new, before or "", count=1)
        if not count:
            raise SystemExit(f"{path} holds nothing like {old}: it would not change")
        Path(path).write_text(after, encoding="utf-8")
        named, compared = (cost(command, cache, repeats).cpu for command in ([*check, path], compare))
        print(f"{told:<44}{named:>9.3f}{compared:>10.3f}{compared / named:>7.2f}x")
        if before is None:
            Path(path).unlink()
        else:
            Path(path).write_text(before, encoding="utf-8")
    print(f"{'everything':<44}{cost([*check, '.'], cache, 1).cpu:>9.3f}")


if __name__ == "__main__":
    measured(_report, __doc__, files=4000, repeats=3)
