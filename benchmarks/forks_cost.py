"""What it costs to judge runs of which something is open: ``python benchmarks/forks_cost.py CORPUS [--first 30 | NAME ...]``.

Every run of some repositories on one card, judged as ever and then without reading anything again (`judged_runs._decided`): CPU time of
this process, the median of some turns, both in turn; beside it how often a run was read again, and how many of those readings and plans
had to be worked out. Reading the files is not counted.
"""

from __future__ import annotations

import argparse
import statistics
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

from budgetlint.base.source import SourceFile
from budgetlint.files.disk import DiskFiles
from budgetlint.language import read_budget
from budgetlint.memory import peak
from budgetlint.memory.parts import Parts
from budgetlint.memory.plan import Plan
from budgetlint.memory.reuse import Answers
from budgetlint.resolve import judged_runs
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import judge

CARD = "device 80GiB\n"


def cpu() -> float:
    used = getrusage(RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def judged(folder: Path) -> tuple[float, int]:
    """Seconds, and runs. The project is read anew: what an earlier turn knows of it is no saving."""
    project = open_project(files := DiskFiles(folder), ["."])
    budget, begun = read_budget(SourceFile("card.budget", CARD), load=files.read), cpu()
    runs = judge(project, extra=budget).runs
    return cpu() - begun, len(runs)


@contextmanager
def as_known() -> Iterator[None]:
    """Nothing is read again."""
    decided = judged_runs._decided
    judged_runs._decided = lambda *asked: asked[0]
    try:
        yield
    finally:
        judged_runs._decided = decided


@contextmanager
def counted(counts: Counter[str]) -> Iterator[None]:
    """Readings that are asked for and worked out, and plans whose figures are."""
    reading, peak_of = Answers.reading, peak.peak_of

    def asked(self: Answers, settings: object, code: str, judged_by: object, work_out: object) -> object:
        known = len(self._read)
        found = reading(self, settings, code, judged_by, work_out)  # type: ignore[arg-type]
        counts.update(asked=1, read=len(self._read) - known)
        return found

    def of(plan: Plan, shared: Parts | None = None) -> peak.Peak:
        counts["plans"] += 1
        return peak_of(plan, shared)

    Answers.reading, peak.peak_of = asked, of  # type: ignore[assignment, method-assign]
    try:
        yield
    finally:
        Answers.reading, peak.peak_of = reading, peak_of  # type: ignore[method-assign]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("names", nargs="*", help="repositories; else the first of the corpus")
    parser.add_argument("--first", type=int, default=30)
    parser.add_argument("--turns", type=int, default=3)
    asked = parser.parse_args()
    below = sorted(path for path in asked.corpus.iterdir() if path.is_dir())
    folders = [path for path in below if path.name in asked.names] if asked.names else below[: asked.first]
    print(f"{'':<44}{'runs':>6}{'open':>9}{'known':>9}{'ratio':>7}{'asked':>7}{'read':>7}{'plans':>7}")
    sums: Counter[str] = Counter()
    for folder in folders:
        _row(folder, asked.turns, sums)
    if len(folders) > 1:
        _printed("all", sums)


def _row(folder: Path, turns: int, sums: Counter[str]) -> None:
    counts: Counter[str] = Counter()
    with counted(counts):
        _, counts["runs"] = judged(folder)
    both: list[tuple[float, float]] = []
    for _ in range(turns):
        with_forks, _ = judged(folder)
        with as_known():
            without, _ = judged(folder)
        both.append((with_forks, without))
    spent, least = (statistics.median(column) for column in zip(*both, strict=True))
    row = Counter({**counts, "open": round(spent * 1e6), "known": round(least * 1e6)})
    sums.update(row)
    _printed(folder.name, row)


def _printed(name: str, row: Counter[str]) -> None:
    """Times are kept in microseconds."""
    spent, least = row["open"] / 1e6, row["known"] / 1e6
    times = f"{spent:>7.2f} s{least:>7.2f} s{spent / least if least else 1:>7.2f}"
    print(f"{name:<44}{row['runs']:>6}{times}{row['asked']:>7}{row['read']:>7}{row['plans']:>7}", flush=True)


if __name__ == "__main__":
    main()
