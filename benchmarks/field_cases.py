"""Public bug reports as budgets and configs: does budgetlint say what a careful colleague would have said?

``python benchmarks/field_cases.py`` prints every report, ``... fire-42`` one with all that is found, ``... --page`` writes
docs/field-cases.md. The exit code is 1 where fewer than nine of ten expected rules fire, or where a finding beside them is not known
to be right.

`data/field_cases.jsonl` holds the facts of each report with its address: the budget and the files that say the same run in our own
words, what happened, which mistakes a perfect linter names (``expects``), why one of them does not hold on these facts
(``withdrawn``), which rule of another name says it (``says``), which verdicts are right, and which warnings beside are true (``beside``).
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

from budgetlint.engine.check import check
from budgetlint.registry import Registry, installed
from budgetlint.resolve.runs import judge_texts
from budgetlint.rule import Finding, Severity

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "benchmarks" / "data" / "field_cases.jsonl"
TODAY = datetime.date(2026, 1, 1)
WANTED = 0.9

VERDICTS = ("does-not-fit", "probably-does-not-fit", "tight-fit")
SAYS = {"full-ft-sharded-does-not-fit": VERDICTS, "gc-counted-as-free": VERDICTS}
"""Mistakes that each of these verdicts names: which one depends on how wide the range is."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A mistake that the report expects. ``fires``: which rule said it, or nothing."""

    mistake: str
    fires: str
    withdrawn: str


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a report. ``judged``: what happened says which verdicts are right. ``beside``: errors and warnings nobody expected."""

    happened: str
    verdict: str
    judged: bool
    right: bool
    need: int | None
    usable: int | None
    findings: tuple[Finding, ...]
    beside: tuple[Finding, ...]
    note: str


@dataclass(frozen=True, slots=True)
class Report:
    id: str
    url: str
    expected: tuple[Expected, ...]
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """``asked``: expected rules whose mistake holds on the report's facts."""

    expected: int
    asked: int
    fired: int
    beside: int
    verdicts: int
    right: int

    @property
    def share(self) -> float:
        return self.fired / self.asked if self.asked else 1.0

    @property
    def passed(self) -> bool:
        return self.share >= WANTED and self.beside == 0


def reports(only: str = "") -> list[Report]:
    return [_report(row) for row in _rows() if row["id"] == only or not only]


def score(found: list[Report]) -> Score:
    expected = [one for report in found for one in report.expected]
    runs = [run for report in found for run in report.runs]
    return Score(
        len(expected),
        sum(not one.withdrawn for one in expected),
        sum(bool(one.fires) and not one.withdrawn for one in expected),
        sum(len(run.beside) for run in runs),
        sum(run.judged for run in runs),
        sum(run.judged and run.right for run in runs),
    )


def _rows() -> Iterator[Mapping[str, Any]]:
    with DATA.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


@cache
def _registry() -> Registry:
    return installed()


def _names(row: Mapping[str, Any], mistake: str) -> tuple[str, ...]:
    """The rules that name a mistake: by its id or alias, by either verdict, or as the report's row says."""
    rule = _registry().get(mistake)
    return (*row.get("says", {}).get(mistake, ()), *SAYS.get(mistake, ()), *((rule.name,) if rule is not None else ()))


def _report(row: Mapping[str, Any]) -> Report:
    names = {mistake: _names(row, mistake) for mistake in row["expects"]}
    known = {name for found in names.values() for name in found}
    runs = tuple(_run(run, known) for run in row["runs"])
    heard = {finding.name for run in runs for finding in run.findings}
    withdrawn = row.get("withdrawn", {})
    expected = (
        Expected(mistake, next((name for name in found if name in heard), ""), withdrawn.get(mistake, ""))
        for mistake, found in names.items()
    )
    return Report(row["id"], row["url"], tuple(expected), runs)


def _run(run: Mapping[str, Any], known: set[str]) -> Run:
    files, budget = dict(run.get("files", {})), run["budget"]
    judged = judge_texts(files, budget=budget or None) if files else judge_texts({"case.budget": budget})
    findings = tuple(check(judged, _registry(), today=TODAY).findings)
    estimate = judged.runs[0].estimate if judged.runs else None
    verdict = estimate.verdict.value if estimate else "none"
    leaning = estimate.leaning.value if estimate and estimate.leaning else verdict
    judged_too, right = "verdict" in run, not {verdict, leaning}.isdisjoint(run.get("verdict", [verdict]))
    expected = {*known, *run.get("beside", ()), *(VERDICTS if judged_too and right else ())}
    beside = tuple(one for one in findings if one.severity is not Severity.INFO and one.name not in expected)
    need = estimate.need.bytes if estimate and estimate.params else None
    usable = estimate.usable_low if estimate else None
    return Run(run["happened"], verdict, judged_too, right, need, usable, findings, beside, run.get("note", ""))


def verdict_words(run: Run) -> str:
    """``does-not-fit (90.8 of 79.2 GiB)``."""
    if run.need is None or run.usable is None:
        return ""
    return f"{run.verdict} ({run.need / 2**30:.1f} of {run.usable / 2**30:.1f} GiB)"


def _shown(report: Report, *, every: bool) -> Iterator[str]:
    for run in report.runs:
        yield f"{'' if run.right else 'WRONG '}{report.id:<22}{verdict_words(run):<36}{run.happened}"
        for finding in run.findings if every else run.beside:
            yield f"{'':<22}{finding.severity.value} {finding.name}: {finding.message}"
    for one in report.expected:
        said = f"fires as {one.fires}" if one.fires not in ("", one.mistake) else "fires" if one.fires else "SILENT"
        yield f"{'':<22}{one.mistake}: {f'not asked for: {one.withdrawn}' if one.withdrawn else said}"


def summary(found: Score) -> str:
    return (
        f"{found.expected} rules expected, {found.expected - found.asked} of them do not hold on the facts of their report; "
        f"{found.fired} of {found.asked} fire ({100 * found.share:.1f}%), {100 * found.fired / max(found.expected, 1):.1f}% of all; "
        f"{found.beside} findings beside them that are not known to be right; {found.right} of {found.verdicts} verdicts right"
    )


def main(arguments: list[str]) -> int:
    if arguments == ["--page"]:
        from field_page import write_page

        found = reports()
        write_page(found, ROOT / "docs" / "field-cases.md")
    else:
        found = reports(arguments[0] if arguments else "")
        print(*(line for report in found for line in _shown(report, every=bool(arguments))), sep="\n")
    total = score(found)
    print(summary(total))
    return 0 if total.passed or (arguments and arguments != ["--page"]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
