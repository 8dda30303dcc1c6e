"""Remedies of `budgetlint.solve` as code actions: on the findings that say that a run does not fit, and at the head of its config.

They are worked out when they are asked for, once for each text. Each is proved by `solve`: its edits are read again and estimated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from budgetlint.base.finding import Finding
from budgetlint.base.plain_text import one_line
from budgetlint.base.units import gib
from budgetlint.lsp.diagnostics import diagnostics_of
from budgetlint.lsp.edits import workspace_edit
from budgetlint.lsp.session import EditorSession
from budgetlint.lsp.texts import Text
from budgetlint.lsp.verdicts import head_line
from budgetlint.lsp.workspace import CheckedWorkspace
from budgetlint.memory.estimate import Verdict
from budgetlint.results.solution import MAY
from budgetlint.rules_api.context import RunContext

if TYPE_CHECKING:
    from budgetlint.results.solution import Remedy

QUICK_FIX, REWRITE = "quickfix", "refactor.rewrite"
"""What stands at the head of a config belongs to no finding (LSP 3.17, "CodeActionKind")."""

MOST = 6
"""So many are offered: those that fit for certain, then the others, each in the order of `solve`."""

ABOUT_FIT = frozenset({"does-not-fit", "tight-fit", "over-reserve", "batch-is-not-the-cause"})
"""Findings that a remedy answers."""

WORDS = {verdict: MAY[verdict] for verdict in (Verdict.FITS, Verdict.TIGHT)}

Wanted = Callable[[str], bool]
"""Does the editor want code actions of this kind?"""

Place = tuple[int, int]
"""The first and the last line of what was asked about, from 1."""


def remedies_at(session: EditorSession, text: Text, lines: Place, findings: Iterable[Finding], wanted: Wanted) -> list[dict[str, Any]]:
    """The code actions for what was asked about."""
    about = [finding for finding in findings if finding.name in ABOUT_FIT]
    checked = session.checked(text)
    run = _worst(context for context in checked.runs_of(text.path) if _is_asked(context, text, lines, about))
    if run is None:
        return []
    finding = next((one for one in about if run.label in one.runs), None)
    told: dict[str, Any] = {"kind": REWRITE}
    if finding is not None:
        told = {"kind": QUICK_FIX, "diagnostics": diagnostics_of([finding], text.path, partial(session.place_beside, text))}
    return [action | told for action in _offered(session, text, checked, run)] if wanted(told["kind"]) else []


def _is_asked(context: RunContext, text: Text, lines: Place, about: Iterable[Finding]) -> bool:
    line = head_line(context, text.path)
    return (line is not None and lines[0] <= line <= lines[1]) or any(context.label in finding.runs for finding in about)


def _worst(contexts: Iterable[RunContext]) -> RunContext | None:
    """The run that lacks most; of a grid of runs it is the one that says what to do."""
    short = [one for one in contexts if one.estimate is not None and one.estimate.may_be_too_large]
    return max(short, key=_lacks, default=None)


def _lacks(context: RunContext) -> int:
    estimate = context.estimate
    return estimate.need.bytes - (estimate.limit or 0) if estimate is not None else 0


def _offered(session: EditorSession, text: Text, checked: CheckedWorkspace, run: RunContext) -> Iterator[dict[str, Any]]:
    made = [one for one in _solved(checked, run) if one.edits and one.verdict in WORDS]
    for remedy in sorted(made, key=lambda one: one.verdict is not Verdict.FITS)[:MOST]:
        edit = workspace_edit(session, text, remedy.edits)
        if edit is not None:
            yield {"title": title_of(remedy), "edit": edit}


def title_of(remedy: Remedy) -> str:
    """``fits, frees 12.45 GiB: fused loss (costs none: …)``; paged states free nothing, and keep a run from failing all the same."""
    frees = f", frees {gib(remedy.frees)}" if remedy.frees > 0 else ""
    host = f", takes {gib(remedy.host)} of host memory" if remedy.host else ""
    return one_line(f"{WORDS[remedy.verdict]}{frees}{host}: {remedy.title} (costs {remedy.cost})")


def _solved(checked: CheckedWorkspace, run: RunContext) -> tuple[Remedy, ...]:
    from budgetlint.solve.proof import Desk
    from budgetlint.solve.solver import solve

    if run.label not in checked.remedies:
        checked.remedies[run.label] = solve(Desk(checked.project, checked.extra), run, frozenset({"remedies"})).remedies
    return checked.remedies[run.label]
