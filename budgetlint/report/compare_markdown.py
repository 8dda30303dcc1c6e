"""What a change costs, as a step summary or a comment on a pull request: a table of runs before and after, then each bill."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.units import gib
from budgetlint.report.bill import WHAT
from budgetlint.report.changes import (
    Group,
    buckets,
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
from budgetlint.report.gfm import cell, details, html, html_code, plain, table
from budgetlint.report.style import plural
from budgetlint.report.tree import Tree
from budgetlint.results.comparison import Comparison, RunChange, TermChange

RUNS, BILLS, SETTINGS, TERMS, CHARACTERS = 50, 10, 20, 12, 120
"""Rows of the table of runs, runs with their bill, settings and terms of one; a name that is longer is cut."""


def render(comparison: Comparison, tree: Tree = Tree()) -> str:
    return "\n\n".join(parts(comparison, tree)) + "\n"


def parts(comparison: Comparison, tree: Tree = Tree()) -> Iterator[str]:
    """The blocks of the section, without the blank lines between them."""
    yield "### What this change costs"
    runs = comparison.runs
    if runs:
        columns = (("run", "---"), ("verdict", "---"), ("need", "---:"), ("difference", "---:"), ("limit", "---:"))
        yield table(columns, (_row(change) for change in runs[:RUNS]))
    more = f"; {plural(len(runs) - RUNS, 'run')} not shown" if len(runs) > RUNS else ""
    words = plain(f"{rest_line(comparison, len(runs))}{more}.")
    yield words[:1].upper() + words[1:]
    yield from bills(comparison, tree)


def bills(comparison: Comparison, tree: Tree) -> Iterator[str]:
    """Of each run that changed, term by term."""
    for change in [one for one in comparison.runs if one.kind == "changed"][:BILLS]:
        yield _bill(change, tree)


def _row(change: RunChange) -> tuple[str, ...]:
    was, now = verdicts(change)
    verdict = f"**{now}**" if was == now else f"{was} → **{now}**"
    name = cell(_cut(change.now.label)) + (f" (was {cell(_cut(change.renamed))})" if change.renamed else "")
    difference = signed(change.difference) if change.kind == "changed" else ""
    return name, verdict, _arrows(needs(change)), difference, _arrows(limits(change))


def _bill(change: RunChange, tree: Tree) -> str:
    was, now = verdicts(change)
    verdict = html(now if was == now else f"{was} → {now}")
    summary = f"{html_code(_cut(change.now.label))} <b>{html(signed(change.difference))}</b>, {verdict}"
    body = [*_settings(change, tree), *_tables(change, tree)]
    return details(summary, "\n\n".join(body) or "costs the same")


def _settings(change: RunChange, tree: Tree) -> Iterator[str]:
    told = told_settings(change)
    if not told:
        return
    columns = (("setting", "---"), ("before", "---"), ("after", "---"), ("where", "---"))
    rows = [
        (cell(_cut(key_of(one))), cell(_cut(value_of(one.before))), cell(_cut(value_of(one.after))), plain(places_of(one, tree)))
        for one in told
    ]
    yield table(columns, rows[:SETTINGS])
    if rest := rows[SETTINGS:]:
        yield plural(len(rest), "more setting")


def _tables(change: RunChange, tree: Tree) -> Iterator[str]:
    if not change.terms:
        return
    yield table((("bucket", "---"), ("before", "---:"), ("after", "---:"), ("difference", "---:")), _buckets(change))
    yield table((("difference", "---:"), ("term", "---"), ("set by", "---")), _terms(change, tree))


def _buckets(change: RunChange) -> Iterator[tuple[str, ...]]:
    for bucket, (was, now) in buckets(change).items():
        yield WHAT[bucket], gib(was), gib(now), signed(now - was)
    was, now = (side.need if side else 0 for side in (change.before, change.after))
    yield "**need**", f"**{gib(was)}**", f"**{gib(now)}**", f"**{signed(now - was)}**"


def _terms(change: RunChange, tree: Tree) -> Iterator[tuple[str, ...]]:
    for group in groups(change):
        yield f"**{signed(group.difference)}**", _title(group), plain("; ".join(places_of(one, tree) for one in group.causes))
        shown, rest = terms_of(group.terms, TERMS)
        yield from (_term(term, tree) for term in shown)
        if rest:
            yield signed(sum(term.difference for term in rest)), plural(len(rest), "more term"), ""
    yield f"**{signed(change.difference)}**", "**need**", ""


def _title(group: Group) -> str:
    words = (cell(_cut(f"{key_of(one)}: {value_of(one.before)} → {value_of(one.after)}")) for one in group.causes)
    return ", ".join(words) or "what follows from the rest"


def _term(change: TermChange, tree: Tree) -> tuple[str, ...]:
    was, now = (gib(one.bytes) if one else "none" for one in (change.before, change.after))
    words = f"{WHAT[change.bucket]} {was} → {now}: {change.term.what}"
    return signed(change.difference), plain(_cut(words)), plain(_cut(set_by(change, tree)))


def _arrows(text: str) -> str:
    return plain(text.replace("->", "→"))


def _cut(text: str) -> str:
    return text if len(text) <= CHARACTERS else f"{text[: CHARACTERS - 1]}…"
