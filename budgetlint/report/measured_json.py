"""``probe --format json`` of measured runs, version 1: fields may be added, never renamed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from budgetlint.base.plain_text import ascii_json
from budgetlint.probe.measurement import Measurement
from budgetlint.probe.record import Simulated
from budgetlint.report.reconciled import Row, reconciled
from budgetlint.rules_api.context import RunContext

VERSION = 1


def render(found: Iterable[tuple[RunContext, Measurement, Simulated | None]]) -> str:
    return ascii_json({"version": VERSION, "runs": [_run(*one) for one in found]}, indent=2)


def _run(context: RunContext, found: Measurement, simulated: Simulated | None) -> dict[str, Any]:
    """The table of phases with buckets, the totals, what makes the difference, then the measurement itself."""
    table = reconciled(context, found, simulated)
    return {
        "name": context.run.name,
        "target": context.target.name if context.target else None,
        "cell": context.cell,
        "outcome": found.outcome,
        "failed_in": found.failed_in,
        "phases": {row.name: {**_row(row), "buckets": {bucket.name: _row(bucket) for bucket in buckets}} for row, buckets in table.phases},
        "totals": {row.name: _row(row) for row in table.totals},
        "differences": list(table.words),
        "measured": found.model_dump(mode="json"),
        "simulated": simulated.model_dump(mode="json") if simulated else None,
    }


def _row(row: Row) -> dict[str, int | None]:
    return {"estimate": row.estimate, "simulated": row.simulated, "measured": row.measured, "difference": row.difference}
