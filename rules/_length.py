"""Whether a batch is as long as the length that is written, or only at most; and what of a run is sure then."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.memory.estimator import estimate
from budgetlint.memory.short_rows import ShortRows
from budgetlint.rule import RunContext


def depends_on_rows(run: RunContext) -> ShortRows | None:
    """How the run stands with short rows, where these are not known to be too large as well: then the data decides."""
    short = run.short_rows
    return short if short is not None and short.may_do else None


def with_sure_rows(run: RunContext) -> RunContext:
    """The run as it is for sure: with short rows where its length is only a limit, else itself. What is wrong with it is wrong whatever the
    data."""
    short = run.short_rows
    if run.estimate is None or short is None:
        return run
    found = estimate(short.planned, run.estimate.capacity)
    return replace(run, estimate=replace(found, forks=run.estimate.forks, planned=None), plan=found.plan)


def of_rows(run: RunContext) -> str:
    """Behind a figure of `with_sure_rows`."""
    short = run.short_rows
    return f" with rows of {short.tokens:,} tokens" if short is not None else ""
