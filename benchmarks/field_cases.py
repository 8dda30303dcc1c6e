"""Public bug reports as budgets and configs: does budgetlint give the verdict and the rules that a careful colleague would?

``python benchmarks/field_cases.py`` prints every case, ``... fire-42`` one case with everything that is found.

`data/field_cases.jsonl` holds the facts of each report with its address: the budget or the files that say the same run, what
happened, which verdicts (``verdict``) and which rules (``rules``) are right, or why there is nothing to judge (``gap``).
"""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from budgetlint.assemble import judge_texts
from budgetlint.engine import check
from budgetlint.registry import Registry, installed

DATA = Path(__file__).resolve().parent / "data" / "field_cases.jsonl"
VERDICTS = ("does-not-fit", "tight")
TODAY = datetime.date(2026, 1, 1)


@dataclass(frozen=True, slots=True)
class Case:
    """One run of a report. ``right``: verdict and rules are among those expected."""

    id: str
    url: str
    happened: str
    verdict: str
    need: int | None
    usable: int | None
    rules: tuple[str, ...]
    wanted: tuple[str, ...]
    right: bool
    note: str


def field_cases(only: str = "") -> list[Case]:
    """Every run of every report that can be judged."""
    return [_judged(report, run) for report in _reports() if report["id"] == only or not only for run in report.get("runs", ())]


def gaps() -> list[tuple[str, str]]:
    """Reports that are not judged, and why."""
    return [(report["id"], report["gap"]) for report in _reports() if "gap" in report]


def _reports() -> Iterator[Mapping[str, Any]]:
    with DATA.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


@cache
def _registry() -> Registry:
    return installed()


def _judged(report: Mapping[str, Any], run: Mapping[str, Any]) -> Case:
    files, budget = dict(run.get("files", {})), run["budget"]
    judged = judge_texts(files, budget=budget or None) if files else judge_texts({"case.budget": budget})
    found = tuple(dict.fromkeys(finding.name for finding in check(judged, _registry(), today=TODAY).findings))
    estimate = judged.runs[0].estimate if judged.runs else None
    verdict = estimate.verdict.value if estimate else "none"
    missing = [name for name in run.get("rules", ()) if name not in found]
    right = not missing and verdict in run.get("verdict", [verdict])
    need = estimate.need.bytes if estimate and estimate.params else None
    wanted = tuple([" or ".join(run["verdict"])] if "verdict" in run else []) + tuple(run.get("rules", ()))
    usable = estimate.usable_low if estimate else None
    return Case(report["id"], report["url"], run["happened"], verdict, need, usable, found, wanted, right, run.get("note", ""))


def marked(case: Case) -> tuple[str, str, str, str]:
    """One row of the table in docs/accuracy.md."""
    named = [name for name in case.rules if name in case.wanted and name not in VERDICTS]
    says = ", ".join([_figure(case), *named]) if case.usable else ", ".join(named) or "nothing"
    expected = "yes" if case.right else f"**no**: expected {', '.join(case.wanted)}"
    return f"[{case.id}]({case.url})", case.happened, says, expected + (f" ({case.note})" if case.note else "")


def _figure(case: Case) -> str:
    if case.need is None or case.usable is None:
        return case.verdict
    return f"{case.verdict} ({case.need / 2**30:.1f} of {case.usable / 2**30:.1f} GiB)"


def main(arguments: list[str]) -> int:
    only = arguments[0] if arguments else ""
    for case in field_cases(only):
        rules = case.rules if only else [name for name in case.rules if name in case.wanted]
        says = "agrees" if case.right else "DIFFERS"
        print(f"{says:<9}{case.id:<22}{_figure(case):<34}{case.happened}; found {', '.join(rules) or 'nothing'}")
        if not case.right:
            print(f"{'':<9}expected {', '.join(case.wanted)}; {case.note}")
    if not only:
        print(*(f"{'-':<9}{name:<22}{why}" for name, why in gaps()), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
