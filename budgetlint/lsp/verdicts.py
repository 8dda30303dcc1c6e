"""The verdict of each run where an editor can show it: at the head of its config, at its block in a budget."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.plain_text import one_line
from budgetlint.base.units import gib
from budgetlint.lsp.session import EditorSession
from budgetlint.lsp.texts import Text
from budgetlint.memory.estimate import Estimate, Verdict
from budgetlint.report.answer import fork_lines
from budgetlint.report.answer import short as answer
from budgetlint.report.headroom import about, lacking
from budgetlint.report.style import VERDICT_WORDS
from budgetlint.rules_api.context import RunContext

MOST = 3
"""So many runs of one line are told; more are counted, the worst first."""

_WORST = (Verdict.DOES_NOT_FIT, Verdict.TIGHT, Verdict.UNKNOWN, Verdict.FITS)


def verdict_lines(session: EditorSession, text: Text) -> Iterator[tuple[int, list[RunContext]]]:
    """Line (from 1) and runs, the worst first, for each place that a run is shown at."""
    by_line: dict[int, list[RunContext]] = {}
    for context in session.checked(text).judged.runs:
        line = head_line(context, text.path)
        if line is not None and context.answer is not None and context.answer.params is not None:
            by_line.setdefault(line, []).append(context)
    for line, contexts in sorted(by_line.items()):
        yield line, sorted(contexts, key=_badness)


def head_line(context: RunContext, path: str) -> int | None:
    """The first line of the run's trainer file; in a budget the line of its run block, or the first one."""
    if context.anchor.file == path and not path.endswith(".budget"):
        return 1
    origin = context.budget_run.origin.location if context.budget_run and context.budget and context.budget.path == path else None
    return origin.line if origin is not None and origin.file == path else None


def _badness(context: RunContext) -> tuple[int, int]:
    estimate = context.answer
    return (_WORST.index(estimate.verdict), -estimate.need.bytes) if estimate else (len(_WORST), 0)


def words(contexts: list[RunContext]) -> str:
    """For a line of its own."""
    shown = [_one(context, named=len(contexts) > 1) for context in contexts[:MOST]]
    more = [f"{len(contexts) - MOST} more"] if len(contexts) > MOST else []
    return " | ".join([*shown, *more])


def short(contexts: list[RunContext]) -> str:
    """For the end of a line: VS Code cuts hints off behind 43 characters (``editor.inlayHints.maximumLength``)."""
    more = f" (+{len(contexts) - 1} runs)" if len(contexts) > 1 else ""
    return f"{_brief(contexts[0].answer)}{more}"


def _brief(estimate: Estimate | None) -> str:
    if estimate is None:
        return ""
    if estimate.limit is None or estimate.verdict is Verdict.UNKNOWN:
        return figures(estimate)
    of = f"{gib(estimate.need.bytes)} of {gib(estimate.limit)}".replace(" GiB", "")
    if estimate.over is not None:
        return f"{gib(estimate.over)} too much: {of}"
    if estimate.verdict is Verdict.TIGHT:
        return f"{VERDICT_WORDS[estimate.verdict]}: {of}"
    return f"{VERDICT_WORDS[estimate.verdict]}, {gib(estimate.limit - estimate.need.bytes)} left: {of}"


def _one(context: RunContext, *, named: bool) -> str:
    estimate = context.answer
    return f"{one_line(context.label)}: {figures(estimate)}" if named and estimate else figures(estimate) if estimate else ""


def figures(estimate: Estimate) -> str:
    """``fits: 19.65 of 23.51 GiB, 3.86 GiB left``."""
    need, limit = estimate.need, estimate.limit
    shown = about(need)
    missing = [one_line(name) for name in estimate.missing if name != "device"]
    if limit is None:
        return f"needs {shown}" + (f" ({lacking(missing)})" if missing else "")
    if estimate.verdict is Verdict.UNKNOWN:
        return "; ".join([": ".join([answer(estimate), *fork_lines(estimate)[:1]]), f"needs {shown} of {gib(limit)}"])
    if estimate.over is not None:
        left = f", {gib(estimate.over)} too much"
    else:
        left = f", {gib(limit - need.bytes)} left" if estimate.verdict is Verdict.FITS else ""
    return f"{answer(estimate)}: needs {shown} of {gib(limit)}{left}"
