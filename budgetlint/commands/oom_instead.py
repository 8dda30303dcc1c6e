"""What fits instead of the run that ran out: the first remedies of `budgetlint solve`, and the largest batch and length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from budgetlint.base.units import GIB, gib
from budgetlint.memory.estimate import Verdict
from budgetlint.report.style import plural

if TYPE_CHECKING:
    from budgetlint.commands.common import Session
    from budgetlint.oom.explain import Explanation
    from budgetlint.results.solution import Reach, Remedy, Solution
    from budgetlint.rules_api.context import RunContext

SHOWN = 3
"""Remedies that are told here; `solve` tells all."""


def instead(session: Session, context: RunContext, explained: Explanation) -> tuple[str, ...]:
    """Sentences; none where it was not the device that ran out, or where the run's model is not known."""
    estimate, message = context.estimate, explained.found.message
    if estimate is None or context.plan is None or message is None:
        return ()
    if estimate.limit is None:
        card = f" --budget 'device {message.capacity / GIB:.2f}GiB'" if message.capacity else " --budget 'device ...'"
        return (f"no budget names the card: with{card} this says what fits on it",)
    from budgetlint.solve.proof import Desk
    from budgetlint.solve.solver import solve

    desk = Desk(session.project, session.extra, session.overrides)
    return tuple(_told(context, solve(desk, context, frozenset({"batch", "seq", "remedies"}))))


def _told(context: RunContext, solution: Solution) -> Iterator[str]:
    if solution.verdict is Verdict.FITS:
        yield "by the estimate this run fits as it is: see above what the message holds against it"
    yield from _within("micro batch", context.value("micro_batch"), solution.batch, "token", " each")
    yield from _within("length", context.value("seq_len"), solution.seq, "sequence", " a micro batch")
    yield from (_remedy(remedy) for remedy in solution.remedies[:SHOWN])
    if solution.remedies:
        yield "`budgetlint solve` tells the rest, and makes the edits (--apply)"


def _within(name: str, now: int | None, reach: Reach, unit: str, each: str) -> Iterator[str]:
    if now is not None and reach.at is not None and reach.fits is not None and reach.fits < now:
        yield f"{name} {reach.fits:,} instead of {now:,}, at {plural(reach.at, unit)}{each}: fits"


def _remedy(remedy: Remedy) -> str:
    verdict = "fits" if remedy.verdict is Verdict.FITS else "may fit"
    cost = f"; costs {remedy.cost}" if remedy.cost else ""
    return f"{remedy.title}: frees {gib(remedy.frees)}, needs {gib(remedy.need)}: {verdict}{cost}"
