"""One row judged: its budget, the estimate, and like compared with like."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from probed import probed_rows
from rows import Inexpressible, Row, budget_of, parallel_of
from simulated import simulated_budget, simulated_rows

from budgetlint.memory.estimate import Estimate, Range, Verdict
from budgetlint.resolve.runs import judge_texts

DATA = Path(__file__).resolve().parent / "data"
COMPARED = ("allocated", "reserved", "active", "device")
OPEN = ("cap", "cap_dynamic", "unknown")
"""Lengths that are only a bound: the row says what fitted, not at which length."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A printed figure (its digits allow ``low`` to ``high``) beside the same figure of the estimate. Bytes."""

    metric: str
    bytes: int
    low: int
    high: int
    estimate: Range

    @property
    def error(self) -> float:
        """Signed share of the figure; nothing inside the printed digits."""
        best = self.estimate.bytes
        nearest = min(max(best, self.low), self.high)
        return (best - nearest) / self.bytes

    @property
    def within(self) -> bool:
        high = self.estimate.high
        return self.estimate.low <= self.high and (high is None or self.low <= high)

    @property
    def width(self) -> float | None:
        """Of the range, as a share of the figure; None for an open end."""
        return None if self.estimate.high is None else (self.estimate.high - self.estimate.low) / self.bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """``reason`` says why there is nothing to compare; then ``comparisons`` is empty."""

    row: Row
    text: str = ""
    estimate: Estimate | None = None
    reason: str = ""
    comparisons: tuple[Comparison, ...] = ()
    wrong: str = ""

    @property
    def id(self) -> str:
        return str(self.row["id"])

    @property
    def family(self) -> str:
        return str(self.row["family"])

    @property
    def world(self) -> int:
        return int(parallel_of(self.row)["world"])

    def of(self, metric: str) -> Comparison | None:
        return next((one for one in self.comparisons if one.metric == metric), None)


def load(name: str) -> list[Row]:
    with (DATA / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def outcomes(detail: int, wanted: Callable[[Row], bool] = lambda _: True) -> list[Outcome]:
    """Every measured row of at least that detail, those of our own GPU sessions, then every simulated one."""
    rows = [row for row in load("measurements.jsonl") if row["detail"] >= detail]
    rows += list(probed_rows(DATA))
    rows += list(simulated_rows(load("oracle.jsonl")))
    return [judge_row(row) for row in rows if wanted(row)]


def judge_row(row: Row) -> Outcome:
    try:
        text = simulated_budget(row["case"]) if "case" in row else budget_of(row)
    except Inexpressible as reason:
        return Outcome(row, reason=str(reason))
    estimate, problem = estimate_of(text)
    if estimate is None:
        return Outcome(row, text, reason=problem)
    unknown = [name for name in estimate.missing if name != "device"]
    if unknown:
        return Outcome(row, text, estimate, f"the estimate is open: {', '.join(unknown)}", wrong=_wrong(row, estimate))
    return Outcome(row, text, estimate, _left_out(row), tuple(_comparisons(row, estimate)), _wrong(row, estimate))


def estimate_of(text: str) -> tuple[Estimate | None, str]:
    """The estimate of one line of budget language, else what the language says against it."""
    judged = judge_texts({"row.budget": text})
    problems = [finding.message for context in judged.budgets for finding in context.budget.problems]
    problems += [finding.message for finding in judged.findings]
    if problems or not judged.runs:
        return None, f"language error: {'; '.join(problems) or 'no run'}"
    return judged.runs[0].estimate, ""


def _left_out(row: Row) -> str:
    if row["observation"] in ("fits", "oom", "oom_presumed"):
        return f"no figure ({row['observation']})"
    if str(row.get("scope", "")).startswith("sum"):
        return "a sum over GPUs"
    if row["judge"] != "two_sided":
        return f"figure for {row['judge'].replace('_', ' ')} only"
    return "" if row["metric"] in COMPARED else "which figure was printed is not known"


def _comparisons(row: Row, estimate: Estimate) -> Iterator[Comparison]:
    if _left_out(row):
        return
    yield Comparison(
        row["metric"], row["bytes"], row.get("low", row["bytes"]), row.get("high", row["bytes"]), _figure(row, row["metric"], estimate)
    )
    for more in row.get("extra", ()):
        if more["metric"] in COMPARED and more["metric"] != row["metric"]:
            yield Comparison(more["metric"], more["bytes"], more["bytes"], more["bytes"], _figure(row, more["metric"], estimate))


def _figure(row: Row, metric: str, estimate: Estimate) -> Range:
    """``active`` lies between allocated and reserved: freed blocks that another stream still holds."""
    less = row.get("workspaces", 0)
    if metric == "active":
        return Range(estimate.allocated.bytes, estimate.allocated.low, estimate.reserved.high)
    found = {"allocated": estimate.allocated, "reserved": estimate.reserved, "device": estimate.device_total}[metric]
    return Range(found.bytes - less, found.low - less, None if found.high is None else found.high - less)


def _wrong(row: Row, estimate: Estimate) -> str:
    """A fitted run called impossible, or one that ran out of memory called fitting. A sum over GPUs and a bound on the
    length say nothing of the kind."""
    if estimate.usable_low is None or str(row.get("scope", "")).startswith("sum"):
        return ""
    fitted = row["observation"] in ("measured", "fits") and row.get("seq_kind") not in OPEN
    if fitted and estimate.verdict is Verdict.DOES_NOT_FIT:
        return "fitted, called does-not-fit"
    if row["observation"] == "oom" and estimate.verdict is Verdict.FITS:
        return "ran out of memory, called fits"
    return ""
