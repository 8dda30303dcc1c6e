"""A probed run as a person reads it: estimate, simulated and difference by phase and bucket, and what is live at the peak."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.plain_text import one_line
from budgetlint.base.record import record
from budgetlint.base.units import gib
from budgetlint.memory.buffers import WORKSPACES
from budgetlint.memory.estimate import Phase
from budgetlint.memory.term import ALLOCATED_BUCKETS, Bucket
from budgetlint.probe.record import PhasePeak, Simulated
from budgetlint.report.style import PLAIN, TerminalStyle, wrapped
from budgetlint.rules_api.context import RunContext

SHOWN = 8


@record
class PhaseRow:
    """One line of the comparison, bytes; ``estimate`` is None where the estimate has no such phase."""

    name: str
    estimate: int | None
    simulated: int

    @property
    def difference(self) -> int | None:
        return None if self.estimate is None else self.estimate - self.simulated


def render(context: RunContext, found: Simulated, style: TerminalStyle = PLAIN) -> str:
    """One run; ends with a line end."""
    parts = (_head(context, found, style), _table(context, found, style), _peak(found, style), _pools(found, style), _notes(found, style))
    return "\n\n".join("\n".join(lines) for part in parts if (lines := list(part))) + "\n"


def _head(context: RunContext, found: Simulated, style: TerminalStyle) -> Iterator[str]:
    yield f"{style.ink(one_line(context.label), 'bold')}: {gib(found.bytes)} simulated, highest in {found.phase}"
    depth = f"{found.depths[0]} and {found.depths[1]} of" if found.depths else "all"
    code = ", ".join(f"{name} {version}" for name, version in found.versions.items() if name != "budgetlint")
    yield f"  two steps on fake tensors, {depth} {found.job.layers} layers, {one_line(code)}"
    yield f"  {found.parameters:,} parameters; attention: {', '.join(found.kernels)}; {found.seconds:g} s"


def comparison(context: RunContext, found: Simulated) -> Iterator[tuple[PhaseRow, tuple[PhaseRow, ...]]]:
    """Each phase with its buckets. The estimate's cuBLAS workspaces, which no simulation has, are left out."""
    for name, peak in found.phases.items():
        phase = context.estimate.phase(name) if context.estimate else None
        yield PhaseRow(name, phase.bytes - workspaces(phase) if phase else None, peak.bytes), tuple(_buckets(phase, peak))


def workspaces(phase: Phase) -> int:
    return sum(term.bytes for term in phase.terms if term.id == WORKSPACES)


def _buckets(phase: Phase | None, peak: PhasePeak) -> Iterator[PhaseRow]:
    for bucket in ALLOCATED_BUCKETS:
        less = workspaces(phase) if phase and bucket is Bucket.BUFFERS else 0
        row = PhaseRow(bucket.value, phase.buckets[bucket] - less if phase else None, peak.buckets.get(bucket.value, 0))
        if row.estimate or row.simulated:
            yield row


def _table(context: RunContext, found: Simulated, style: TerminalStyle) -> Iterator[str]:
    yield style.ink(f"  {'':<16}{'estimate':>14}{'simulated':>14}{'difference':>14}", "bold")
    for phase, buckets in comparison(context, found):
        moment = found.phases[phase.name].moment
        yield style.ink(_line(phase, "  "), "bold") + (f"  {moment}" if moment else "")
        yield from (_line(row, "    ") for row in buckets)


def _line(row: PhaseRow, indent: str) -> str:
    said = "-" if row.estimate is None else gib(row.estimate)
    return f"{indent + row.name:<18}{said:>14}{gib(row.simulated):>14}{_apart(row):>14}"


def _apart(row: PhaseRow) -> str:
    """In per cent, or in bytes where the simulation has nothing."""
    if row.difference is None or row.estimate is None:
        return ""
    if not row.simulated:
        return gib(row.difference)
    return f"{row.difference * 100 / row.simulated:+.2f} %"


def _peak(found: Simulated, style: TerminalStyle) -> Iterator[str]:
    peak = found.phases[found.phase]
    yield style.ink(f"  live at the peak, in {found.phase}{': ' + peak.moment if peak.moment else ''}", "bold")
    for live in peak.live[:SHOWN]:
        shape = " x ".join(f"{size:,}" for size in live.shape) or "scalar"
        many = f"{live.count:,} x " if live.count > 1 else ""
        yield f"  {gib(live.bytes):>12}  {live.bucket:<12} {many}[{shape}] {live.dtype}, {live.op}"
    rest = peak.bytes - sum(live.bytes for live in peak.live[:SHOWN])
    if rest:
        yield f"  {gib(rest):>12}  the rest"


def _pools(found: Simulated, style: TerminalStyle) -> Iterator[str]:
    if found.native is None or found.expandable is None:
        yield "  reserved: not simulated, as the layers are not alike (--full-depth does)"
        return
    yield style.ink("  the caching allocator on this step", "bold")
    for name, pool in (("segments as usual", found.native), ("expandable_segments", found.expandable)):
        yield f"  {name:<20} reserves {gib(pool.reserved):>12}, gets through with {gib(pool.least)}"


def _notes(found: Simulated, style: TerminalStyle) -> Iterator[str]:
    if found.job.world > 1:
        yield f"  figures are of the first of {found.job.world:,} ranks; nothing is sent"
    if found.job.loss != "full":
        said = f"the run's stack has the loss of an older transformers ({found.job.loss}); the one that is installed here ran its own"
        yield from wrapped(said, style.width, first="  ", rest="  ")
