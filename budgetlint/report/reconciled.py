"""Estimate, simulated and measured side by side, by phase and bucket, and the differences by name. No torch here."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import record
from budgetlint.base.units import gib
from budgetlint.memory.estimate import Phase, Range
from budgetlint.memory.term import ALLOCATED_BUCKETS
from budgetlint.probe.measurement import Measurement
from budgetlint.probe.record import Simulated
from budgetlint.report.probe_text import workspaces
from budgetlint.rules_api.context import RunContext

PHASES = ("load", "forward", "backward", "step", "eval", "save")
TOTALS = ("reserved", "device")
NAMED = 0.01
"""Share of the measured peak from which a bucket's difference is worth a line."""


@record
class Row:
    """One line, bytes; None where a column has no such figure."""

    name: str
    estimate: int | None = None
    simulated: int | None = None
    measured: int | None = None

    @property
    def difference(self) -> int | None:
        """Estimate less measured."""
        return None if self.estimate is None or self.measured is None else self.estimate - self.measured


@record
class Reconciled:
    """``phases``: each with its buckets; ``totals``: pool and device; ``words``: what makes the difference."""

    phases: tuple[tuple[Row, tuple[Row, ...]], ...]
    totals: tuple[Row, ...]
    words: tuple[str, ...]


def reconciled(context: RunContext, found: Measurement, simulated: Simulated | None = None) -> Reconciled:
    """Phases that were measured, in the order in which they run."""
    phases = tuple((_phase(context, found, simulated, name), tuple(_buckets(context, found, simulated, name))) for name in _ran(found))
    return Reconciled(phases, tuple(_totals(context, found)), tuple(_words(context, found, {row.name: row for row, _ in phases})))


def _ran(found: Measurement) -> list[str]:
    return [name for name in PHASES if name in found.phases]


def _phase(context: RunContext, found: Measurement, simulated: Simulated | None, name: str) -> Row:
    said, seen = _estimated(context, name), simulated.phases.get(name) if simulated else None
    return Row(name, said.bytes if said else None, seen.bytes if seen else None, found.phases[name].allocated)


def _buckets(context: RunContext, found: Measurement, simulated: Simulated | None, name: str) -> Iterator[Row]:
    said, seen, followed = _estimated(context, name), simulated.phases.get(name) if simulated else None, found.followed.get(name)
    if seen is None and followed is None:
        return
    for bucket in ALLOCATED_BUCKETS[:1] if name == "load" else ALLOCATED_BUCKETS:
        row = Row(
            bucket.value, said.buckets[bucket] if said else None, seen.buckets.get(bucket.value, 0) if seen else None,
            followed.buckets.get(bucket.value, 0) if followed else None,
        )  # fmt: skip
        if row.estimate or row.simulated or row.measured:
            yield row
    inside = _inside(found, name)
    if inside is not None and inside > 0:
        yield Row("in kernels", measured=inside)


def _inside(found: Measurement, name: str) -> int | None:
    """What the counters saw and no storage holds: workspaces, and what kernels take for themselves. Of the load phase nothing was
    followed but what rests."""
    followed = found.followed.get(name)
    return None if followed is None or name == "load" else found.phases[name].allocated - followed.bytes


def _estimated(context: RunContext, name: str) -> Phase | None:
    return context.estimate.phase(name) if context.estimate else None


def _totals(context: RunContext, found: Measurement) -> Iterator[Row]:
    estimate, peak = context.estimate, found.peak
    ranges = {"reserved": estimate and estimate.reserved, "device": estimate and estimate.device_total}
    for name in TOTALS:
        measured, said = getattr(peak, name), ranges[name]
        if measured is not None:
            yield Row(name, said.bytes if isinstance(said, Range) else None, None, measured)


# -- words -------------------------------------------------------------------------------------------------------------------


def _words(context: RunContext, found: Measurement, rows: dict[str, Row]) -> Iterator[str]:
    if found.outcome == "oom":
        yield f"it ran out of memory in {found.failed_in}: figures are of what ran until then"
    if found.card.kind == "cpu":
        yield "on a CPU: other kernels than a GPU's (attention, autocast), no allocator, no cuBLAS: this tries the path, not the card"
    yield from found.notes
    top = rows.get(found.phase)
    if top is not None and found.outcome == "ok":
        yield from _named(context, found, top)
    held = found.card.total - found.card.free
    if found.card.kind == "cuda" and held:
        yield f"{gib(held)} of the card were taken before the probe began (context, and other processes)"


def _named(context: RunContext, found: Measurement, top: Row) -> Iterator[str]:
    """Each bucket that is off at the peak, by how much; then what has no bucket."""
    least = int((top.measured or 0) * NAMED)
    for row in _buckets(context, found, None, top.name):
        off = row.difference
        if off is not None and abs(off) > least:
            yield f"{row.name} in {top.name}: the estimate has {gib(abs(off))} {'more' if off > 0 else 'less'} than were live"
    phase, inside = _estimated(context, top.name), _inside(found, top.name)
    spaces = workspaces(phase) if phase else 0
    if spaces and found.card.kind == "cpu":
        yield f"buffers: {gib(spaces)} are cuBLAS workspaces, which a CPU has not"
    if inside is not None and inside > least:
        yield f"in kernels: {gib(inside)} at the peak are held by no tensor (workspaces, what kernels take inside)"
