"""``budgetlint probe --record``: what was measured becomes a line of the lock beside the run's budget."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import TYPE_CHECKING

from budgetlint.base.source import SourceFile, UnreadableFile
from budgetlint.base.units import GIB
from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse
from budgetlint.commands.writing import write_file
from budgetlint.files.disk import DiskFiles
from budgetlint.measured.digest import settings_hash
from budgetlint.measured.lock import LockEntry, with_entries
from budgetlint.resolve.project import lock_beside
from budgetlint.rules_api.context import RunContext

if TYPE_CHECKING:
    from budgetlint.language.budget import Measured
    from budgetlint.probe.measurement import Measurement

ALONE = int(1.5 * GIB)
"""More than any context takes: beyond it other processes hold the card, and its total says nothing about the run."""


def record(found: Iterable[tuple[RunContext, Measurement]], io: Console) -> None:
    """Write every measurement of a GPU. Raises `Misuse` where the lock cannot be written."""
    entries: list[tuple[RunContext, LockEntry]] = []
    for context, one in found:
        if one.card.kind == "cpu":
            io.complain(f"{context.label}: not recorded: a CPU says nothing about a card")
        else:
            entries.append((context, entry_of(context, one)))
    write_entries(entries, io)


def entry_of(context: RunContext, found: Measurement) -> LockEntry:
    """Out of memory says its phase and no figure: how much was missing nobody saw."""
    peak, oom = found.peak, found.outcome == "oom"
    alone = found.card.total - found.card.free < ALONE
    sizes = {"peak": peak.allocated, "reserved": peak.reserved, "device_total": peak.device if alone else None}
    return entry(
        context,
        outcome=found.outcome,
        figures={} if oom else {name: size for name, size in sizes.items() if size is not None},
        metric="" if oom else "allocated",
        phase=found.failed_in,
        device=found.card.name,
        torch=found.versions.get("torch", ""),
    )


def entry(context: RunContext, *, outcome: str, figures: dict[str, int], metric: str, phase: str, device: str, torch: str) -> LockEntry:
    """What is recorded about a run today, of the settings that it has now."""
    return LockEntry(
        run=context.run.name,
        target=context.target.name if context.target else None,
        outcome=outcome,
        figures=figures,
        metric=metric,
        phase=phase,
        device=device,
        torch=torch,
        date=datetime.datetime.now().astimezone().date(),
        config=settings_hash(context.run.settings, context.run.stack.model_code),
        settings=dict(part.split("=", 1) for part in context.cell.split()) if context.cell else {},
    )


def write_entries(entries: Iterable[tuple[RunContext, LockEntry]], io: Console) -> None:
    """Each into the lock of its run's budget; the locks are told on standard error."""
    by_lock: dict[str, list[LockEntry]] = {}
    for context, one in entries:
        by_lock.setdefault(lock_beside(context.budget.path if context.budget else context.anchor.file), []).append(one)
    for path, ones in by_lock.items():
        text, written = _there(path, io)
        wrong = write_file(io, path, with_entries(text, ones, written))
        if wrong is not None:
            raise Misuse(f"{path} {wrong.problem}: {wrong.cure}")
        io.complain(f"{path}: {len(ones)} measured line{'s' if len(ones) > 1 else ''} written; `budgetlint check` reads it")


def _there(path: str, io: Console) -> tuple[str, tuple[Measured, ...]]:
    files = DiskFiles(io.root)
    if not files.exists(path):
        return "", ()
    from budgetlint.language import read_budget

    source = files.read(path)
    if isinstance(source, UnreadableFile):
        raise Misuse(f"{path} {source.problem}: {source.cure}")
    assert isinstance(source, SourceFile)
    budget = read_budget(source, load=files.read)
    if budget.problems:
        raise Misuse(f"{budget.problems[0].location}: {budget.problems[0].message}: repair or delete the lock first, it is not overwritten")
    return source.text, tuple(line for run in budget.runs[:1] for line in run.measured)
