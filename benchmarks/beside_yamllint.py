"""CPU beside yamllint, three cases in one run: ``python benchmarks/beside_yamllint.py [--python PATH] [--repeats 15] [--all-repeats 3]``.

*One file*: a check of it, with no budget. *Hook*: one changed file of a git repository of 1,000 configs with a budget, DeepSpeed files
and scripts (`hook_speed.write_repository`). *All*: a folder of 1,000 configs. Each is a fresh process with no cache of answers, and
its CPU time, user and system, from start to end; the two tools run in turn, so that a busy machine slows both, and medians are
compared. ``--python`` names the interpreter that both are installed for: an editable install imports more than a wheel does. Exit code
1 where a ratio is not the one wanted; nobody's test, for the machine has a say in it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from hook_speed import write_repository
from read_speed import write_files

FILES = 1000
FIRST = "run-0000.yaml"


@dataclass(frozen=True)
class Case:
    """``most``: what budgetlint may take, in CPU times of yamllint."""

    name: str
    folder: str
    path: str
    most: float


CASES = (Case("one file", "one", FIRST, 1.0), Case("hook", "repository", FIRST, 2.0), Case("1,000 files", "all", ".", 1 / 3))


def cpu(command: Sequence[str], folder: Path, environ: dict[str, str]) -> float:
    """CPU seconds of a process and its children."""
    with subprocess.Popen(command, cwd=folder, env=environ, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1), (command, process.returncode)  # 1 for findings
    return usage.ru_utime + usage.ru_stime


def medians(commands: Sequence[Sequence[str]], folder: Path, environ: dict[str, str], repeats: int) -> list[float]:
    """Of each command, run in turn; the first round compiles byte code."""
    rounds = [[cpu(command, folder, environ) for command in commands] for _ in range(repeats + 1)][1:]
    return [statistics.median(times) for times in zip(*rounds, strict=True)]


def measured(case: Case, root: Path, python: str, repeats: int) -> bool:
    """One line of the table; whether the ratio is the one wanted."""
    environ = {name: value for name, value in os.environ.items() if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")}
    environ["PYTHONPYCACHEPREFIX"] = str(root / "cache")
    ours = [python, "-m", "budgetlint", "check", "--no-cache", "--force-exclude", case.path]
    mine, theirs = medians([ours, [python, "-m", "yamllint", case.path]], root / case.folder, environ, repeats)
    ratio, shown = mine / theirs, f"{mine * 1000:>9,.0f} ms{theirs * 1000:>9,.0f} ms"
    print(f"{case.name:<13}{shown}{ratio:>8.2f} x{case.most:>9.2f} x  {'met' if ratio <= case.most else 'not met'}", flush=True)
    return ratio <= case.most


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--all-repeats", type=int, default=3, help="of the case of 1,000 files")
    asked = parser.parse_args()
    print(f"{'':<13}{'budgetlint':>12}{'yamllint':>12}{'ratio':>10}{'wanted':>11}")
    with TemporaryDirectory() as name:
        root = Path(name)
        for case in CASES:
            (root / case.folder).mkdir()
        write_files(root / "one", 1)
        write_files(root / "all", FILES)
        write_repository(root / "repository", FILES)
        met = [measured(case, root, asked.python, asked.all_repeats if case.path == "." else asked.repeats) for case in CASES]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
