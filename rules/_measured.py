"""What the rules about measurements share: how a measured line is named, and what it is compared with."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.measured.lines import Line
from budgetlint.rule import Estimate, RunContext, gib

WORDS = {
    "allocated": "allocated (torch.cuda.max_memory_allocated)",
    "reserved": "reserved (torch.cuda.max_memory_reserved)",
    "device_total": "on the device (nvidia-smi)",
    "need": "needed",
    "peak": "at the peak",
}


def judged(run: RunContext) -> Iterator[tuple[Line, Estimate]]:
    """Every measured line of a run whose figures are known."""
    if run.estimate is not None and run.estimate.bill:
        yield from ((line, run.estimate) for line in run.recorded)


def tolerance(run: RunContext) -> int | None:
    """In 1/10^6; None where no statement says it."""
    return run.budget_run.tolerance_ppm if run.budget_run else None


def seen_on(line: Line) -> str:
    """`` on NVIDIA L4, 2026-11-29``; empty where the line says neither."""
    facts = line.measured.facts
    on = f" on {facts['device']}" if "device" in facts else ""
    return on + (f", {facts['date']}" if "date" in facts else "")


def words(figure: str, size: int) -> str:
    """``5.00 GiB allocated (torch.cuda.max_memory_allocated)``."""
    return f"{gib(size)} {WORDS.get(figure, f'of {figure}')}"


def per_cent(ppm: int) -> str:
    return f"{ppm / 10_000:g} %"
