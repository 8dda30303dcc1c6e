"""Sharded runs beside the engines themselves: `data/sharded.jsonl`, real DeepSpeed, FSDP, DTensor and DDP code on tensors without memory.

    python benchmarks/sharded_rows.py                 # by engine and stage, the worst rows first
    python benchmarks/sharded_rows.py --row z2-8b     # one row: the bill's terms beside the tensors that were live, phase by phase
    python benchmarks/sharded_rows.py --json FILE     # every figure

Versions stand in each row (torch 2.13.0, transformers 5.24.0, deepspeed 0.19.8 where nothing else is said). Neither side has cuBLAS
workspaces. A row whose settings no budget can say is left out, as are rows of real tensors that repeat a simulated one; of what a DeepSpeed
config says and no statement does (``overlap_comm``, the limits of stage 3) the plan is told, and which rank it was. The first ZeRO rows
showed the mechanisms; the second (``second``) were chosen and frozen after that, other ranks, sizes and versions among them.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from budgetlint.base.record import record, replace
from budgetlint.memory.estimate import Phase
from budgetlint.memory.peak import peak_of
from budgetlint.memory.plan import Plan
from budgetlint.report.probe_text import workspaces
from budgetlint.resolve.runs import judge_texts

DATA = Path(__file__).resolve().parent / "data" / "sharded.jsonl"
MIB = 2**20
PHASES = ("forward", "backward", "step")
KNOBS = {
    "overlap_comm": "overlap", "stage3_max_live_parameters": "max_live", "stage3_max_reuse_distance": "max_reuse",
    "stage3_prefetch_bucket_size": "prefetch", "sub_group_size": "sub_group", "allgather_bucket_size": "allgather_bucket",
    "contiguous_gradients": "contiguous",
}  # fmt: skip
"""Keys of a DeepSpeed config as fields of `plan.Zero`."""

REPEATS = ("gloo-z",)
"""Rows of real tensors that have a simulated twin."""

Row = dict[str, Any]


@record
class Judged:
    """A row with its estimate: bytes by phase, both without workspaces."""

    row: Row
    phases: tuple[Phase, ...]

    @property
    def figures(self) -> dict[str, tuple[int, int]]:
        """Estimate and truth of each phase, and of the peak."""
        found = {phase.name: phase.bytes - workspaces(phase) for phase in self.phases}
        each = {name: (found[name], self.row["phases"][name]["bytes"]) for name in PHASES if name in self.row["phases"]}
        return {"peak": (max(found.values()), self.row["peak"]), **each}

    def error(self, name: str = "peak") -> float:
        estimate, truth = self.figures[name]
        return (estimate - truth) / truth if truth > MIB else 0.0


def rows() -> list[Row]:
    return [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]


def plan_of(row: Row) -> Plan:
    judged = judge_texts({"run.budget": row["budget"], "model.json": json.dumps(row["config"])})
    problems = [problem.message for context in judged.budgets for problem in context.budget.problems]
    plan = judged.runs[0].plan
    if problems or plan is None:
        raise ValueError(f"{row['id']}: {problems or 'no plan'}")
    asked = row.get("ds_config", {}).get("zero_optimization", {})
    changes = {field: asked[key] for key, field in KNOBS.items() if key in asked and hasattr(plan.sharding.zero, field)}
    return replace(plan, sharding=replace(plan.sharding, rank=row.get("rank", 0), zero=replace(plan.sharding.zero, **changes)))


def judged(row: Row) -> Judged:
    return Judged(row, peak_of(plan_of(row)).phases)


def left_out(row: Row) -> bool:
    """No statement says its setting, or it repeats another; DeepSpeed's knobs are told to the plan."""
    return (
        row["id"].startswith(REPEATS)
        or ("no statement" in row.get("note", "") and "ds_config" not in row)
        or "do not compare" in row.get("note", "")
    )


def report(found: list[Judged]) -> Iterator[str]:
    yield f"{'':24} {'truth MiB':>10} {'peak':>8} {'forward':>8} {'backward':>8} {'step':>8}"
    for one in sorted(found, key=lambda item: -abs(item.error())):
        errors = " ".join(f"{one.error(name):>+8.2%}" if name in one.figures else f"{'':>8}" for name in ("peak", *PHASES))
        yield f"{one.row['id']:24} {one.row['peak'] / MIB:>10.1f} {errors}  {one.row['method']}, {one.row['peak_phase']}"
    yield ""
    zero = [one for one in found if one.row["method"].startswith("zero")]
    groups = {
        f"ZeRO, {name}": [one for one in zero if ("second" in one.row) is later] for name, later in (("first", False), ("second", True))
    }
    for one in found:
        groups.setdefault(one.row["method"], []).append(one)
    for name, members in groups.items():
        yield f"{name:16} {len(members):3} rows  " + "; ".join(_spread(members, part) for part in ("peak", *PHASES))


def _spread(members: list[Judged], name: str) -> str:
    errors = sorted(abs(one.error(name)) for one in members if name in one.figures)
    if not errors:
        return f"{name} -"
    return f"{name} median {statistics.median(errors):.2%}, p90 {errors[-(-len(errors) * 9 // 10) - 1]:.2%}, worst {errors[-1]:.2%}"


def shown(one: Judged) -> Iterator[str]:
    """Each phase's terms, the largest first, and the live tensors of the row."""
    yield f"{one.row['id']}: {one.row['how']}\n{one.row['budget']}"
    for phase in one.phases:
        if phase.name not in one.row["phases"]:
            continue
        truth = one.row["phases"][phase.name]
        estimate = phase.bytes - workspaces(phase)
        yield f"{phase.name} ({phase.moment}): {estimate / MIB:.1f} MiB, truth {truth['bytes'] / MIB:.1f}"
        for term in sorted(phase.terms, key=lambda term: -term.bytes):
            yield f"  bill  {term.bytes / MIB:>9.1f}  {term.what}"
        for size, count, bucket, made_by, shape, dtype, when, where in truth["live"]:
            yield f"  live  {size / MIB:>9.1f}  {count} x {shape} {dtype} {bucket}: {made_by} in {when} {where}"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--row", default="")
    parser.add_argument("--json", default="", metavar="FILE")
    asked = parser.parse_args()
    chosen = [row for row in rows() if (row["id"] == asked.row if asked.row else not left_out(row))]
    found = [judged(row) for row in chosen]
    lines = [line for one in found for line in shown(one)] if asked.row else list(report(found))
    print("\n".join(lines))
    if asked.json:
        figures = [{"id": one.row["id"], "method": one.row["method"], "bytes": one.figures} for one in found]
        Path(asked.json).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
