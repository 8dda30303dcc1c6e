"""The estimate against the real model code on fake tensors, over a grid of runs.

    pip install '.[probe]' accelerate
    python benchmarks/oracle.py                         # simulate every run: benchmarks/data/oracle_grid.json
    python benchmarks/oracle.py --compare               # no torch: the committed simulations beside the estimates of today
    python benchmarks/oracle.py --only 'gpt2'           # only some runs, shown and not written

A run takes 2 to 10 seconds. `tests/memory/test_oracle_grid.py` holds the estimator to what is committed.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from pathlib import Path
from typing import Any

from oracle_cases import budgets

from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext

DATA = Path(__file__).resolve().parent / "data" / "oracle_grid.json"


def context_of(budget: str) -> RunContext:
    judged = judge_texts({"row.budget": budget})
    problems = [problem.message for context in judged.budgets for problem in context.budget.problems]
    if problems:
        raise ValueError(f"{budget}: {problems}")
    return judged.runs[0]


def simulate(budget: str, full_depth: bool = False) -> dict[str, Any]:
    """One row of the grid."""
    from budgetlint.probe.job import job_of
    from budgetlint.probe.simulated import simulation

    plan = context_of(budget).plan
    assert plan is not None
    found = simulation(job_of(plan), full_depth=full_depth)
    phases = {name: {"bytes": peak.bytes, "moment": peak.moment, "buckets": peak.buckets} for name, peak in found.phases.items()}
    pools = {name: pool and pool.model_dump() for name, pool in (("native", found.native), ("expandable", found.expandable))}
    return {"budget": budget, "parameters": found.parameters, "kernels": found.kernels, "depths": found.depths, "phases": phases, **pools}


def compared(row: dict[str, Any]) -> tuple[int, int]:
    """The simulated peak, and the estimate's without the cuBLAS workspaces that no simulation has."""
    from budgetlint.report.probe_text import workspaces

    estimate = context_of(row["budget"]).estimate
    assert estimate is not None
    return max(phase["bytes"] for phase in row["phases"].values()), max(phase.bytes - workspaces(phase) for phase in estimate.phases)


def line(row: dict[str, Any]) -> str:
    simulated, estimate = compared(row)
    return f"{(estimate - simulated) * 100 / simulated:+8.3f} %  {simulated / 2**30:8.2f} GiB  {row['budget'].partition('; stack')[0]}"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--full-depth", action="store_true")
    asked = parser.parse_args()
    if asked.compare:
        rows = json.loads(DATA.read_text(encoding="utf-8"))["runs"]
    else:
        rows = [_shown(budget, asked.full_depth) for budget in budgets() if re.search(asked.only, budget)]
    if asked.compare:
        print("\n".join(line(row) for row in rows))
    errors = [abs(estimate - simulated) / simulated for simulated, estimate in map(compared, rows)]
    print(f"{len(rows)} runs: median {statistics.median(errors):.4%}, worst {max(errors):.3%}")
    if not (asked.compare or asked.only or asked.full_depth):
        from budgetlint.probe.simulated import versions

        document = {"versions": versions(), "runs": rows}
        text = json.dumps(document, separators=(",", ":")).replace('{"budget"', '\n{"budget"')
        DATA.write_text(text + "\n", encoding="utf-8")
    return 0


def _shown(budget: str, full_depth: bool) -> dict[str, Any]:
    row = simulate(budget, full_depth)
    print(line(row), flush=True)
    return row


if __name__ == "__main__":
    sys.exit(main())
