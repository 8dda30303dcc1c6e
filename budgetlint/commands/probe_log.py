"""``budgetlint probe --from-log LOG``: what a training run printed beside the estimate, and with ``--record`` in the lock."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from budgetlint.base.plain_text import one_line
from budgetlint.base.units import gib
from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse
from budgetlint.measured.log import LoggedPeaks, read_log
from budgetlint.rules_api.context import RunContext

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from budgetlint.measured.lock import LockEntry
    from budgetlint.oom.log import Found

PIECE = 65_536
"""Characters read at a time: a line without an end takes no more."""


def from_log(contexts: tuple[RunContext, ...], args: argparse.Namespace, io: Console) -> int:
    """Exit code 0 with a figure or an out-of-memory message; a log without either is wrong use, and so are several runs."""
    if len(contexts) > 1:
        names = ", ".join(context.label for context in contexts[:6])
        raise Misuse(f"--from-log: a log is of one run: say --run NAME (and --target), one of {names}")
    context = contexts[0]
    seen, oom = _read(args.from_log, io)
    if not seen.figures and not oom:
        raise Misuse(
            f"--from-log: {args.from_log} has no memory figure that is known: print torch.cuda.max_memory_allocated(), or add "
            "budgetlint.probe.callback.MemoryLine() to the trainer"
        )
    made = _entry(context, seen, oom)
    io.line(one_line(made.line))
    for text in _said(context, seen, oom):
        io.line(f"  {one_line(text)}")
    if args.record:
        from budgetlint.commands.probe_record import write_entries

        write_entries([(context, made)], io)
    return 0


def _read(name: str, io: Console) -> tuple[LoggedPeaks, bool]:
    """The figures, and whether a device's memory ran out. A file is read twice, for a log of any length."""
    from budgetlint.oom.log import find

    if name == "-":
        lines = io.read_log().readlines()
        return read_log(lines), _ran_out(find(lines))
    path = io.root / name
    if not path.is_file():
        raise Misuse(f"--from-log: {name} {'is no file: name the log itself' if path.exists() else 'does not exist'}")
    with path.open(encoding="utf-8", errors="replace") as log:
        seen = read_log(_pieces(log))
        log.seek(0)
        return seen, _ran_out(find(_pieces(log)))


def _ran_out(found: Found | None) -> bool:
    return found is not None and found.message is not None


def _pieces(log: TextIO) -> Iterator[str]:
    while piece := log.readline(PIECE):
        yield piece


def _entry(context: RunContext, seen: LoggedPeaks, oom: bool) -> LockEntry:
    from budgetlint.commands.probe_record import entry

    metric = next((name for name in ("allocated", "reserved", "device_total") if name in seen.figures), "")
    others = {name: size for name, size in seen.figures.items() if name != metric}
    figures = {} if oom or not metric else {"peak": seen.figures[metric], **others}
    return entry(
        context, outcome="oom" if oom else "ok", figures=figures, metric="" if oom else metric, phase="", device=_device(context, seen),
        torch=seen.torch,
    )  # fmt: skip


def _device(context: RunContext, seen: LoggedPeaks) -> str:
    """As the log names the card, else the one that the run is judged on."""
    spec = context.target.device if context.target else None
    return seen.device or (spec.device.official if spec and spec.device else "")


def _said(context: RunContext, seen: LoggedPeaks, oom: bool) -> Iterator[str]:
    """Where each figure stands, and what the estimate has."""
    estimate = context.estimate
    if oom:
        yield "the log ends out of memory; `budgetlint estimate --oom` says which tensor it was"
    for name, size in seen.figures.items():
        said = getattr(estimate, name) if estimate and estimate.bill else None
        beside = f"; estimated {gib(said.bytes)}, {(said.bytes - size) * 100 / size:+.1f} %" if said and size else ""
        yield f"{name}: {gib(size)}, line {seen.lines[name]:,}{beside}"
