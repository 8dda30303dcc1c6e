"""Whether a batch is as long as the length that is written, or only at most; and what of a run is sure then."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.memory.estimator import estimate
from budgetlint.memory.short_rows import ShortRows
from budgetlint.rule import RunContext, Verdict


def short_rows(run: RunContext) -> ShortRows | None:
    """How the run stands with short rows, where its length is only a limit; None where every batch is as long, or a budget says so."""
    claim, length = run.claim("seq_len"), run.setting("seq_len")
    said = claim is not None and length is not None and claim.known and claim.value == length.value
    return run.estimate.short_rows if run.estimate is not None and not said else None


def depends_on_rows(run: RunContext) -> ShortRows | None:
    """The same, where short rows are not known to be too large as well: then the data decides."""
    short = short_rows(run)
    return short if short is not None and short.verdict is not Verdict.DOES_NOT_FIT else None


def with_sure_rows(run: RunContext) -> RunContext:
    """The run as it is for sure: with short rows where its length is only a limit, else itself. What is wrong with it is wrong whatever the
    data."""
    short = short_rows(run)
    if run.estimate is None or short is None:
        return run
    found = estimate(short.planned, run.estimate.capacity)
    return replace(run, estimate=replace(found, forks=run.estimate.forks, planned=None), plan=found.plan)


def of_rows(run: RunContext) -> str:
    """Behind a figure of `with_sure_rows`."""
    short = short_rows(run)
    return f" with rows of {short.tokens:,} tokens" if short is not None else ""


def reached(short: ShortRows) -> str:
    """``where a row reaches 4,096 tokens; rows of up to 1,536 tokens fit``: the words of every verdict that hangs on the data."""
    fits = f"rows of up to {short.fitting:,} tokens fit" if short.fitting else f"rows of {short.tokens:,} tokens may fit"
    return f"where a row reaches {short.limit:,} tokens; {fits}"
