"""``estimate --format svg``: the step of a run as a picture, and the buckets of several runs beside each other.

No scripts, no fonts, no dates: the same estimates give the same bytes. It draws in light and dark by the reader's own setting.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from budgetlint.memory.estimate import Estimate, Verdict
from budgetlint.report.style import plural
from budgetlint.report.svg import words
from budgetlint.report.svg.bars import bars
from budgetlint.report.svg.element import element, escaped
from budgetlint.report.svg.page import page
from budgetlint.report.svg.scale import top_of
from budgetlint.report.svg.theme import LIGHT, TEXT
from budgetlint.report.svg.timeline import PAD, Panel, panel
from budgetlint.rules_api.context import RunContext

PANELS = 4
"""So many steps are drawn; of more runs the bars say enough."""

NEAR = 5
"""Runs of which the largest needs at most so many times what the smallest does share an axis."""

_WORST = (Verdict.DOES_NOT_FIT, Verdict.TIGHT, Verdict.UNKNOWN, Verdict.FITS)


def render(contexts: Iterable[RunContext]) -> str:
    """The picture of these runs: bars where there are several, then the steps, worst first where there are more than `PANELS`."""
    runs = list(contexts)
    shown = runs if len(runs) <= PANELS else sorted(runs, key=_rank)[:PANELS]
    panels = [bars(runs)] if sum(1 for run in runs if run.estimate and run.estimate.bill) > 1 else []
    panels += [panel(run, number, top) for number, (run, top) in enumerate(zip(shown, _tops(shown), strict=True))]
    if len(runs) > len(shown):
        panels.append(_note(f"The steps of {plural(len(runs) - len(shown), 'more run')} are not drawn: name a file to see its own."))
    return page(_title(runs), " ".join(words.summary(run) for run in runs), panels or [_note("No run: nothing to draw.")])


def compared(contexts: Iterable[RunContext]) -> str:
    """The bars alone."""
    runs = list(contexts)
    return page(_title(runs), " ".join(words.summary(run) for run in runs), [bars(runs)])


def _title(runs: Sequence[RunContext]) -> str:
    return f"GPU memory of {runs[0].label}" if len(runs) == 1 else f"GPU memory of {plural(len(runs), 'run')}"


def _rank(run: RunContext) -> tuple[int, float]:
    """By verdict, then by how much of the limit is needed."""
    estimate = run.estimate
    if estimate is None:
        return _WORST.index(Verdict.UNKNOWN), 0.0
    return _WORST.index(estimate.verdict), -estimate.need.bytes / max(estimate.limit or 0, 1)


def _tops(runs: Sequence[RunContext]) -> list[int]:
    """Where each axis ends: at one place for runs that are near each other, so that their pictures compare."""
    own = [_top([run.estimate]) if run.estimate else 1 for run in runs]
    known = [run.estimate for run in runs if run.estimate and run.estimate.bill]
    needs = [estimate.need.bytes for estimate in known]
    return [_top(known)] * len(runs) if needs and max(needs) <= NEAR * max(min(needs), 1) else own


def _top(estimates: Sequence[Estimate]) -> int:
    needs = [(estimate.need.bytes, estimate.need.high) for estimate in estimates]
    return top_of(needs, [estimate.limit for estimate in estimates if estimate.limit is not None])


def _note(said: str) -> Panel:
    return Panel(element("text", escaped(said), x=PAD, y=20, font_size=TEXT, class_="dim", fill=LIGHT["dim"]), 24)
