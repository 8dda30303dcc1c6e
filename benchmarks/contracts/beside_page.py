"""``docs/refusals-beside.md``: the committed tables beside the real classes, as `measured.json` has it.

cd benchmarks && python -m contracts.beside_page
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .beside import MEASURED, share

PAGE = Path(__file__).parents[2] / "docs" / "refusals-beside.md"
MOST_LINES = 4
HEAD = """<!-- made by python -m contracts.beside_page in benchmarks -->

# Beside the real classes

Configs made at random, and public ones changed, given to the real argument classes in an environment of their own and to the committed
tables: how many of those that the real class refuses are told, and how many of those that it takes are called an error. Releases are
known, as a lock file would tell; nothing else is. Not counted as refused is what Python raises on the way (`None < 1`) and what the
measuring machine lacks (packages, files, devices, the network); it is the column "apart". Made by
`python -m contracts.beside PACKAGE ENV --public FOLDER --keep`. Values are drawn from the fields' types and from what the conditions of
the code compare them with, told or not: a condition that was not found in the code at all is met by chance only.

| framework | release | class | configs | public files | refused | told | of refused | false | of taken | apart |
| --- | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |"""


def page(rows: Sequence[Mapping[str, Any]]) -> str:
    lines = [HEAD, *map(_row, rows), "", "## What is missed most", "", "The line that refuses, the class of its exception, and how often."]
    for one in rows:
        lines += _missed(one)
    return "\n".join(lines) + "\n"


def _row(one: Mapping[str, Any]) -> str:
    names = (one["package"], one["version"], one["contract"], one["configs"], one["public"], one["refused"], one["told"])
    shares = (share(one["told"], one["refused"]), one["false"], share(one["false"], one["taken"]), one["apart"])
    return f"| {' | '.join(map(str, (*names, *shares)))} |"


def _missed(one: Mapping[str, Any]) -> Iterator[str]:
    if not one["missed by line"] and not one["false by row"]:
        return
    yield from ("", f"### {one['contract']}, {one['package']} {one['version']}", "")
    for line, times in list(one["missed by line"].items())[:MOST_LINES]:
        yield f"- missed {times}: `{line}`"
    for line, times in list(one["false by row"].items())[:MOST_LINES]:
        yield f"- false {times}: `{line}`"


def main() -> int:
    PAGE.write_text(page(json.loads(MEASURED.read_text(encoding="utf-8"))), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
