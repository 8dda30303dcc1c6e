"""What judging costs beside reading: ``python benchmarks/check_speed.py CORPUS``.

*Reading* is what comes before any judgement: each file's text, located tree, whose it is, its settings, and the files joined to runs.
*Checking* is all of that, then an estimate of every run and every rule on every context. Both are CPU time in one process, the
projects (the first folders of the corpus) one after the other; the least of three rounds.
"""

from __future__ import annotations

import gc
import sys
import time
from pathlib import Path

from budgetlint.engine.check import check
from budgetlint.files.disk import DiskFiles
from budgetlint.registry import Registry, installed
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import collect, judge

WANTED = 2.0


def reading(folders: list[Path]) -> float:
    begun = time.process_time()
    for folder in folders:
        collect(open_project(DiskFiles(folder), ["."]))
    return time.process_time() - begun


def checking(folders: list[Path], registry: Registry) -> tuple[float, int]:
    begun, runs = time.process_time(), 0
    for folder in folders:
        runs += len(check(judge(open_project(DiskFiles(folder), ["."])), registry).verdicts)
    return time.process_time() - begun, runs


def main() -> int:
    folders = sorted((Path(sys.argv[1]) / "files").iterdir())
    registry = installed()
    checking(folders[:20], registry)  # imports and caches
    gc.collect()
    read = min(reading(folders) for _ in range(3))
    done, runs = min(checking(folders, registry) for _ in range(3))
    rules = len(registry.rules)
    print(f"{runs} runs, {rules} rules: reading {read:.2f} s, checking {done:.2f} s, {done / read:.2f} times (wanted {WANTED:g})")
    return 0 if done <= WANTED * read else 1


if __name__ == "__main__":
    sys.exit(main())
