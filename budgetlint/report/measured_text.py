"""A measured run as a person reads it: estimate, simulated, measured, what makes the difference, and the step as a timeline."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.plain_text import one_line
from budgetlint.base.units import gib
from budgetlint.probe.measurement import Measurement
from budgetlint.probe.record import Simulated
from budgetlint.report.reconciled import Reconciled, Row, reconciled
from budgetlint.report.style import PLAIN, TerminalStyle, wrapped
from budgetlint.rules_api.context import RunContext

BAR = 16


def render(context: RunContext, found: Measurement, simulated: Simulated | None = None, style: TerminalStyle = PLAIN) -> str:
    """One run; ends with a line end."""
    table = reconciled(context, found, simulated)
    parts = (_head(context, found, style), _table(table, style), _why(table, style), _timeline(found, style))
    return "\n\n".join("\n".join(lines) for part in parts if (lines := list(part))) + "\n"


def _head(context: RunContext, found: Measurement, style: TerminalStyle) -> Iterator[str]:
    imitated = f" held to {found.work.imitated}'s {gib(found.work.limit or 0)}" if found.work.imitated else ""
    said = f"out of memory in {found.failed_in}" if found.outcome == "oom" else f"{gib(found.peak.allocated)} allocated, in {found.phase}"
    yield f"{style.ink(one_line(context.label), 'bold')}: {said}, on {one_line(found.card.name + imitated)}"
    job, work = found.work.job, found.work
    code = ", ".join(f"{name} {version}" for name, version in found.versions.items() if name != "budgetlint")
    ranks = f", {found.ranks} ranks, the worst of them" if found.ranks > 1 else ""
    told = f"{work.warmup} warm-up and {work.steps} measured steps of {job.batch} x {job.seq:,} tokens{ranks}, {code}"
    yield from wrapped(told, style.width, first="  ", rest="  ")
    yield f"  {found.parameters:,} parameters, random weights; optimizer: {one_line(found.optimizer or '-')}; {found.seconds:g} s"


def _table(table: Reconciled, style: TerminalStyle) -> Iterator[str]:
    yield style.ink(f"  {'':<16}{'estimate':>14}{'simulated':>14}{'measured':>14}{'difference':>13}", "bold")
    for phase, buckets in table.phases:
        yield style.ink(_line(phase, "  "), "bold")
        yield from (_line(row, "    ") for row in buckets)
    yield from (_line(row, "  ") for row in table.totals)


def _line(row: Row, indent: str) -> str:
    figures = "".join(f"{'-' if size is None else gib(size):>14}" for size in (row.estimate, row.simulated, row.measured))
    return f"{indent + row.name:<18}{figures}{_apart(row):>13}".rstrip()


def _apart(row: Row) -> str:
    """In per cent of what was measured, in bytes where that is nothing."""
    if row.difference is None:
        return ""
    return f"{row.difference * 100 / row.measured:+.2f} %" if row.measured else gib(row.difference)


def _why(table: Reconciled, style: TerminalStyle) -> Iterator[str]:
    if table.words:
        yield style.ink("  what makes the difference", "bold")
        for text in table.words:
            yield from wrapped(text, style.width, first="  - ", rest="    ")


def _timeline(found: Measurement, style: TerminalStyle) -> Iterator[str]:
    """The moments of the followed step, in order."""
    if not found.timeline:
        return
    most = max(moment.bytes for moment in found.timeline)
    yield style.ink("  the step, moment by moment", "bold")
    for moment in found.timeline:
        largest = sorted(moment.buckets.items(), key=lambda item: -item[1])[:2]
        words = ", ".join(f"{name} {gib(size)}" for name, size in largest if size)
        bar = ("█" if style.blocks else "#") * round(moment.bytes / most * BAR)
        yield f"  {moment.name.removeprefix('backward: '):<22}{gib(moment.bytes):>12} {bar:<{BAR}} {words}"
