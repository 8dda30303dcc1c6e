"""``probe --simulate --format json``, version 1: fields may be added, never renamed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from budgetlint.base.plain_text import ascii_json
from budgetlint.probe.record import Simulated
from budgetlint.report.probe_text import PhaseRow, comparison
from budgetlint.rules_api.context import RunContext

VERSION = 1


def render(found: Iterable[tuple[RunContext, Simulated]]) -> str:
    runs = [_run(context, result) for context, result in found]
    return ascii_json({"version": VERSION, "runs": runs}, indent=2)


def _run(context: RunContext, found: Simulated) -> dict[str, Any]:
    """The simulation, and beside it the estimate of each phase and bucket (without cuBLAS workspaces)."""
    compared = {phase.name: {**_row(phase), "buckets": {row.name: _row(row) for row in rows}} for phase, rows in comparison(context, found)}
    target = context.target.name if context.target else None
    return {
        "name": context.run.name,
        "target": target,
        "cell": context.cell,
        "phases": compared,
        "simulated": found.model_dump(mode="json"),
    }


def _row(row: PhaseRow) -> dict[str, int | None]:
    return {"estimate": row.estimate, "simulated": row.simulated, "difference": row.difference}
