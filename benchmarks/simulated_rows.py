"""Simulated against measured: the full and LoRA rows of `data/measurements.jsonl` that the simulation can build.

    pip install '.[probe]' accelerate
    python benchmarks/simulated_rows.py --versions FOLDER

FOLDER holds transformers of the time, one folder a version, and peft beside them where it installs:

    pip install --no-deps --target FOLDER/4.45.2 transformers==4.45.2 tokenizers==0.20.3 huggingface_hub==0.26.5 peft==0.13.2

A row whose version is not there runs with the one that is installed, and says so. torch is the installed one: what a kernel takes inside
and the optimizer's default are the stack's of the row, as the plan has them.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from accuracy_score import load
from oracle import context_of
from rows import Inexpressible as NoBudget
from rows import Row, budget_of

from budgetlint.memory.estimate import Estimate
from budgetlint.probe.ask import Failed, ask
from budgetlint.probe.job import Inexpressible, Job, job_of
from budgetlint.report.probe_text import workspaces

DATA = Path(__file__).resolve().parent / "data" / "simulated_rows.json"
LIMIT = 300.0


def expressible() -> Iterator[tuple[Row, Job, Estimate]]:
    """Rows with an allocated peak whose run the simulation can build."""
    for row in load("measurements.jsonl"):
        if row.get("metric") != "allocated" or row["judge"] != "two_sided" or row["kind"] == "component":
            continue
        try:
            context = context_of(budget_of(row))
            assert context.plan is not None and context.estimate is not None
            yield row, job_of(context.plan), context.estimate
        except (NoBudget, Inexpressible):
            continue


def simulate(row: Row, job: Job, versions: Path | None) -> dict[str, Any]:
    wanted = str((row.get("versions") or {}).get("transformers", ""))
    folder = versions / wanted if versions and wanted and (versions / wanted).is_dir() else None
    os.environ["PYTHONPATH"] = str(folder) if folder else ""
    return ask({"job": job.model_dump(mode="json"), "full_depth": False}, LIMIT, lambda _: None)


def judged(row: Row, job: Job, estimate: Estimate, versions: Path | None) -> dict[str, Any]:
    """Bytes: measured, simulated with the cuBLAS workspaces that every run has, and estimated."""
    found = simulate(row, job, versions)
    phase = max(found["phases"].values(), key=lambda one: one["bytes"])
    inside = workspaces(max(estimate.phases, key=lambda one: one.bytes))
    simulated = phase["bytes"] + inside
    return {
        "id": row["id"], "measured": row["bytes"], "simulated": simulated, "estimate": estimate.allocated.bytes,
        "error": round((simulated - row["bytes"]) / row["bytes"], 5), "phase": phase["moment"], "versions": found["versions"],
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--versions", type=Path)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    rows = []
    for row, job, estimate in expressible():
        if asked.only not in row["id"]:
            continue
        try:
            rows.append(judged(row, job, estimate, asked.versions))
            print(_line(rows[-1]), flush=True)
        except Failed as reason:
            print(f"{row['id']}: {reason}", flush=True)
    errors = [abs(row["error"]) for row in rows]
    print(f"{len(rows)} rows: median {statistics.median(errors):.2%}, worst {max(errors):.2%}")
    if not asked.only:
        DATA.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


def _line(row: dict[str, Any]) -> str:
    said = f"{row['measured'] / 2**30:7.2f} GiB measured, simulated {row['error']:+.2%}"
    return f"{row['id']:<14} {said}, estimate {row['estimate'] / row['measured'] - 1:+.2%}, transformers {row['versions']['transformers']}"


if __name__ == "__main__":
    sys.exit(main())
