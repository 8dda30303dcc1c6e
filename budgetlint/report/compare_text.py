"""What a change costs, for people: each run that differs, the worst first, with what changed and what each line of it costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.base.plain_text import one_line
from budgetlint.base.units import gib
from budgetlint.report.bill import WHAT
from budgetlint.report.changes import (
    Group,
    groups,
    key_of,
    limits,
    needs,
    places_of,
    rest_line,
    set_by,
    signed,
    terms_of,
    told_settings,
    value_of,
    verdicts,
)
from budgetlint.report.style import PLAIN, WIDTH, TerminalStyle, plural, wrapped
from budgetlint.results.comparison import Comparison, RunChange, TermChange

RUNS, SETTINGS, TERMS = 20, 8, 6
"""Of more, the rest is counted (runs, settings of a run) or added up (terms of a setting)."""


def render(comparison: Comparison, style: TerminalStyle = PLAIN) -> str:
    """Ends with a line end."""
    return "\n\n".join("\n".join(block) for block in blocks(comparison, style)) + "\n"


def blocks(comparison: Comparison, style: TerminalStyle = PLAIN) -> Iterator[list[str]]:
    """One block for each run, then how many there are."""
    for change in comparison.runs[:RUNS]:
        yield list(_run(change, style))
    more = f" ({plural(len(comparison.runs) - RUNS, 'more')} not shown)" if len(comparison.runs) > RUNS else ""
    yield [one_line(f"{rest_line(comparison, len(comparison.runs))}{more}.")]


def headline(change: RunChange, style: TerminalStyle = PLAIN) -> str:
    """``sft.yaml: fits -> does not fit, needs 4.34 GiB -> 18.34 GiB (+14.00 GiB), limit 23.00 GiB``."""
    was, now = verdicts(change)
    ended = style.verdict(change.now.verdict, now) if change.after else now
    verdict = ended if was == now else f"{was} -> {ended}"
    return f"{style.ink(one_line(change.now.label), 'bold')}: {verdict}, {_figures(change)}"


def _figures(change: RunChange) -> str:
    cost = f" ({signed(change.difference)})" if change.kind == "changed" and change.difference else ""
    limit = f", limit {limits(change)}" if limits(change) else ""
    return f"needs {needs(change)}{cost}{limit}"


def _run(change: RunChange, style: TerminalStyle) -> Iterator[str]:
    head, figures = headline(change, style), _figures(change)
    if len(headline(change)) <= WIDTH:
        yield head
    else:
        yield head.removesuffix(f" {figures}")
        yield from _wrapped(figures, "  ", "  ")
    if change.renamed:
        yield f"  was {one_line(change.renamed)}"
    if change.kind != "changed":
        return
    yield from _settings(change)
    yield from _phase(change)
    for group in groups(change):
        yield from _group(group)
    if change.terms:
        yield f"  {signed(change.difference):>12}  {style.ink('need', 'bold')}"
    elif not change.difference:
        yield "  costs the same"


def _settings(change: RunChange) -> Iterator[str]:
    told = told_settings(change)
    for one in told[:SETTINGS]:
        words = f"{key_of(one)}: {value_of(one.before)} -> {value_of(one.after)}"
        yield from _wrapped(f"{words}  {places_of(one)}", "  changed  ", "           ")
    if rest := told[SETTINGS:]:
        yield f"  changed  {plural(len(rest), 'more setting')}"


def _phase(change: RunChange) -> Iterator[str]:
    was, now = (side.verdict.peak_phase if side else "" for side in (change.before, change.after))
    if was and now and was != now:
        yield f"  the peak moved from {was} to {now}"


def _group(group: Group) -> Iterator[str]:
    title = ", ".join(f"{key_of(one)}: {value_of(one.before)} -> {value_of(one.after)}" for one in group.causes)
    yield from _wrapped(title or "what follows from the rest", f"  {signed(group.difference):>12}  ", " " * 16)
    shown, rest = terms_of(group.terms, TERMS)
    for term in shown:
        yield from _term(term)
    if rest:
        yield f"      {signed(sum(term.difference for term in rest)):>12}  {plural(len(rest), 'more term')}"


def _term(change: TermChange) -> Iterator[str]:
    was, now = (gib(one.bytes) if one else "none" for one in (change.before, change.after))
    by = f"  {set_by(change)}" if not change.causes else ""
    yield from _wrapped(
        f"{WHAT[change.bucket]} {was} -> {now}: {change.term.what}{by}".rstrip(), f"      {signed(change.difference):>12}  ", " " * 20
    )


def _wrapped(text: str, first: str, rest: str) -> Iterable[str]:
    return wrapped(text, WIDTH, first=first, rest=rest)
