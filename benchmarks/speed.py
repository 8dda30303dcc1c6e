"""What a check costs: ``python benchmarks/speed.py [--most 1000]``, against yamllint and check-jsonschema in the same run.

Folders of 1, 10, 100, 1,000 (… 10,000 with ``--most 10000``) small configs of seven formats, without a budget. *Cold* is
``budgetlint check --no-cache``: reading, joining, estimates and all rules; *warm* is the same check again, with nothing changed.
Each figure is CPU time, user and system, of a fresh process from start to end, the least of some repeats; byte code is compiled
before. check-jsonschema checks the same files against the DeepSpeed schema of `docs/schemas`: most do not fit it, which costs nothing
more.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from read_speed import cost, write_files

SCHEMA = Path(__file__).resolve().parent.parent / "docs" / "schemas" / "deepspeed.schema.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--most", type=int, default=1000, help="the largest folder")
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    print(f"{'files':>7}{'cold':>10}{'warm':>10}{'yamllint':>11}{'jsonschema':>12}{'yamllint/cold':>15}{'yamllint/warm':>15}{'peak':>9}")
    with TemporaryDirectory() as name:
        count = 1
        while count <= asked.most:
            folder = Path(name, str(count))
            folder.mkdir()
            write_files(folder, count)
            _row(folder, Path(name, "cache"), count, asked.repeats if count < 1000 else 1)
            count *= 10


def _row(folder: Path, cache: Path, count: int, repeats: int) -> None:
    python, files = sys.executable, [str(path) for path in sorted(folder.iterdir())]
    os.chdir(folder)
    check, lint = [python, "-m", "budgetlint", "check"], [python, "-m", "yamllint", "."]
    cold, other = cost([*check, "--no-cache"], cache, repeats), cost(lint, cache, repeats)
    cost(check, cache, 1)
    warm = cost(check, cache, repeats)
    schema = cost([python, "-m", "check_jsonschema", "--schemafile", str(SCHEMA), *files], cache, 1) if count <= 1000 else None
    told = f"{schema.cpu:>10.2f} s" if schema else f"{'':>12}"
    ratios = f"{other.cpu / cold.cpu:>15.2f}{other.cpu / warm.cpu:>15.2f}"
    print(f"{count:>7,}{cold.cpu:>8.2f} s{warm.cpu:>8.2f} s{other.cpu:>9.2f} s{told}{ratios}{cold.peak / 1e6:>6.0f} MB")


if __name__ == "__main__":
    main()
