"""``estimate --terms``: the peak of a run tensor by tensor, biggest first: name, shape, bytes, and the code that makes it."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.plain_text import one_line
from budgetlint.base.units import gib
from budgetlint.memory.estimate import Estimate
from budgetlint.memory.sources import source_of
from budgetlint.memory.term import Term
from budgetlint.report.answer import supposition
from budgetlint.report.headroom import about
from budgetlint.report.style import PLAIN, TerminalStyle
from budgetlint.rules_api.context import RunContext

NAME, ARITHMETIC = 44, 72
"""Columns that a name and a shape have at most; a longer one moves what follows."""


def render(context: RunContext, style: TerminalStyle = PLAIN) -> str:
    """One run; ends with a line end."""
    estimate = context.answer
    label = style.ink(one_line(context.label), "bold")
    if estimate is None or not estimate.bill:
        return f"{label}: nothing to estimate: no model is known\n"
    head = f"{label}: needs {about(estimate.need)}, highest in {_moment(estimate)}"
    supposes = (f"  {line}" for line in supposition(estimate))
    return "\n".join((head, *supposes, *_lines(estimate, style))) + "\n"


def _moment(estimate: Estimate) -> str:
    phase = estimate.phase(estimate.peak_phase)
    return f"{estimate.peak_phase}: {phase.moment}" if phase is not None and phase.moment else estimate.peak_phase


def _lines(estimate: Estimate, style: TerminalStyle) -> Iterator[str]:
    terms = sorted((term for term in estimate.bill if term.bytes), key=lambda term: -term.bytes)
    told = [(one_line(term.label), one_line(sized(term)), str(source_of(term.id, estimate.plan) or "")) for term in terms]
    name = min(NAME, max(len(row[0]) for row in told))
    size = min(ARITHMETIC, max(len(row[1]) for row in told))
    for label, arithmetic, source in told:
        yield f"  {label:<{name}}   {arithmetic:<{size}}   {style.ink(source, 'dim') if source else ''}".rstrip()


def sized(term: Term) -> str:
    """``batch 1 x seq 2,048 x vocab 152,064 x 4 B = 1.16 GiB``; bytes alone where there is no shape."""
    arithmetic = term.arithmetic
    return f"{arithmetic} = {gib(term.bytes)}" if arithmetic else gib(term.bytes)
