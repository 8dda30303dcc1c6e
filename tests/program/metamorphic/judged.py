"""What budgetlint makes of a project, without the places: settings, bill, verdict, and the codes of the findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from budgetlint.config.config import Config
from budgetlint.engine.check import check
from budgetlint.registry import installed
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext
from budgetlint.testing import TODAY


class Answer(NamedTuple):
    """Of one run: each setting as its value, or as what it may be; the bill in bytes; the verdict. Of the project: the findings."""

    settings: dict[str, Any]
    bill: dict[str, Any]
    verdict: str
    findings: list[str]

    def differs(self, other: Answer) -> list[str]:
        """What another says otherwise, in words."""
        found = [f"{name}: {one} / {two}" for name, one, two in _pairs(self.settings, other.settings)]
        found += [f"{name}: {one} / {two}" for name, one, two in _pairs(self.bill, other.bill)]
        if self.verdict != other.verdict:
            found.append(f"verdict: {self.verdict} / {other.verdict}")
        if self.findings != other.findings:
            missing = [one for one in self.findings if one not in other.findings]
            found.append(f"findings: without {missing}, with {[one for one in other.findings if one not in self.findings]}")
        return found


def _pairs(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for name in sorted({*one, *other}):
        if one.get(name) != other.get(name):
            yield name, one.get(name), other.get(name)


def answer(files: Mapping[str, str], budget: str) -> Answer:
    """Of a project that comes to one run."""
    judged = judge_texts(files, budget=budget)
    report = check(judged, installed(), Config(preview=True), today=TODAY)
    assert not report.crashes, report.crashes
    told = sorted(f"{one.code} {one.name} {one.severity.value}" for one in report.findings)
    if len(judged.runs) != 1:
        return Answer({}, {}, f"{len(judged.runs)} runs", told)
    [run] = judged.runs
    return Answer(dict(_settings(run)), dict(_bill(run)), _verdict(run), told)


def _settings(run: RunContext) -> Iterator[tuple[str, Any]]:
    for name, setting in run.run.settings.items():
        if name not in _OF_THE_PLACE:
            value = setting.value if setting.known else (setting.state, *map(repr, setting.readings))
            yield name, (value, "default" if setting.certainty == "stated" and not setting.known else setting.certainty)


_OF_THE_PLACE = frozenset({"output_dir"})


def _bill(run: RunContext) -> Iterator[tuple[str, Any]]:
    if run.estimate is None:
        return
    yield "need", (run.estimate.need.low, run.estimate.need.bytes, run.estimate.need.high)
    for term in run.estimate.bill:
        yield f"bill {term.id}", term.bytes


def _verdict(run: RunContext) -> str:
    return run.estimate.verdict.value if run.estimate is not None else "none"
