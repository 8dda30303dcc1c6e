"""What following programs costs beside compiling them: ``python benchmarks/follow_speed.py FOLDER… [--slowest N] [--steps]``.

Each folder is a project. It is collected as a check collects it, and every program that is followed on the way, once for each start that
its scripts have, is timed: CPU time of this process, its modules' parsing included where it is the first to ask for them. The peer is
Python's own compiler (`compile` with its code thrown away) over the files that the same program asked for, timed right after it, so that
a busy machine slows both. ``--slowest`` lists programs; ``--steps`` adds the steps that were taken, which no machine changes.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from budgetlint.files.disk import DiskFiles
from budgetlint.resolve.followed import FollowedPrograms
from budgetlint.resolve.program_run import ProgramRun
from budgetlint.resolve.program_starts import Start
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import collect

WANTED = 0.1
"""Seconds of a program, of nine in ten."""


class Timed(NamedTuple):
    """A program that was followed, in CPU seconds; ``peer`` are those of the compiler. ``steps``: 0 where no run came of it."""

    project: str
    path: str
    spent: float
    peer: float
    steps: int


def compiled(texts: Sequence[str]) -> float:
    """CPU seconds that Python's compiler takes for these texts."""
    begun = time.process_time()
    for text in texts:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(text, "program", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):  # a file of Python 2, or of none
            continue
    return time.process_time() - begun


def timed(folder: Path) -> list[Timed]:
    """Every program that collecting this project follows."""
    found: list[Timed] = []
    plain = FollowedPrograms._follow

    def follow(programs: FollowedPrograms, start: Start) -> ProgramRun | None:
        begun = time.process_time()
        run = plain(programs, start)
        spent = time.process_time() - begun
        paths = [one for how, one in programs.sources.asked if how == "text" and one.endswith(".py")]
        texts = [source.text for one in paths if (source := programs.sources.source(one)) is not None]
        found.append(Timed(folder.name, start.path, spent, compiled(texts), run.followed.steps if run is not None else 0))
        return run

    FollowedPrograms._follow = follow  # type: ignore[method-assign]
    try:
        collect(open_project(DiskFiles(folder), ["."]))
    finally:
        FollowedPrograms._follow = plain  # type: ignore[method-assign]
    return found


def quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def row(name: str, found: Sequence[Timed], *, steps: bool) -> str:
    spent, ratios = [one.spent for one in found], [one.spent / one.peer for one in found if one.peer]
    figures = [f"{len(found):4} starts", f"{sum(spent):6.2f} s"]
    figures += [f"p50 {1e3 * quantile(spent, 0.5):6.1f} ms", f"p90 {1e3 * quantile(spent, 0.9):6.1f} ms"]
    figures.append(f"{statistics.median(ratios):5.2f} times compiling" if ratios else "")
    if steps:
        figures.append(f"{sum(one.steps for one in found):8,} steps")
    return f"{name:40.40} {', '.join(figures)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--slowest", type=int, default=0)
    parser.add_argument("--steps", action="store_true")
    arguments = parser.parse_args()
    timed(Path(__file__).resolve().parents[1] / "examples")  # imports and tables
    every: list[Timed] = []
    for folder in arguments.folders:
        found = timed(folder)
        every += found
        if found:
            print(row(folder.name, found, steps=arguments.steps), flush=True)
    if not every:
        print("no program was followed")
        return 1
    print(row("all", every, steps=arguments.steps))
    for one in sorted(every, key=lambda one: -one.spent)[: arguments.slowest]:
        print(f"  {1e3 * one.spent:7.1f} ms  {one.steps:8,} steps  {one.project}/{one.path}")
    return 0 if quantile([one.spent for one in every], 0.9) <= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
