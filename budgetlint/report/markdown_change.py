"""How a comment on a change begins: of each run that differs its verdict, its size before and after, the line that did it, the remedy."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.finding import Finding, Severity
from budgetlint.report.changes import groups, key_of, limits, needs, places_of, rest_line, signed, told_settings, value_of, verdicts
from budgetlint.report.gfm import cell, plain, table
from budgetlint.report.shown import GATE, is_verdict
from budgetlint.report.style import plural
from budgetlint.report.tree import Tree
from budgetlint.results.comparison import Comparison, RunChange, SettingChange

RUNS, LINES, GATES = 20, 2, 10
"""Rows of the table, lines named in one, and what is said of the gate: the rest stands folded below."""
NAME, WORDS = 120, 300


def lead(comparison: Comparison, found: list[Finding], tree: Tree) -> Iterator[str]:
    yield "### What this change costs"
    runs = comparison.runs
    if runs:
        columns = (("run", "---"), ("verdict", "---"), ("need", "---:"), ("limit", "---:"), ("line", "---"), ("remedy", "---"))
        yield table(columns, (_row(change, found, tree) for change in runs[:RUNS]))
    more = f"; {plural(len(runs) - RUNS, 'run')} not shown" if len(runs) > RUNS else ""
    words = plain(f"{rest_line(comparison, len(runs))}{more}.")
    yield words[:1].upper() + words[1:]
    told = [finding for finding in found if finding.name == GATE]
    if told:
        rest = [f"- and {len(told) - GATES:,} more"] if len(told) > GATES else []
        rest += [
            f"- remedy: {plain(help)}" for help in dict.fromkeys(one.help for one in told if one.severity is Severity.ERROR and one.help)
        ]
        yield "\n".join([*(_gate(one) for one in told[:GATES]), *rest])


def _row(change: RunChange, found: list[Finding], tree: Tree) -> tuple[str, ...]:
    was, now = verdicts(change)
    verdict = f"**{now}**" if was == now else f"{was} → **{now}**"
    name = cell(_cut(change.now.label, NAME)) + (f" (was {cell(_cut(change.renamed, NAME))})" if change.renamed else "")
    finding = _finding(change, found)
    grown = f" ({signed(change.difference)})" if change.kind == "changed" and change.difference else ""
    line = ", ".join(_line(cause, tree) for cause in _causes(change)[:LINES])
    if not line and finding is not None:
        line = plain(f"{tree.path(finding.location.file)}:{finding.location.line}")
    return name, verdict, _arrows(needs(change)) + grown, _arrows(limits(change)), line, _remedy(finding)


def _causes(change: RunChange) -> list[SettingChange]:
    """What moves the need, the dearest first; of a run that costs the same, what is written otherwise."""
    if change.kind != "changed":
        return []
    found = {one.name: one for group in groups(change) for one in group.causes}
    return list(found.values()) or told_settings(change)


def _line(cause: SettingChange, tree: Tree) -> str:
    words = f"{key_of(cause)}: {value_of(cause.before)} → {value_of(cause.after)}"
    return f"{plain(_cut(places_of(cause, tree), NAME))} {cell(_cut(words, NAME))}".strip()


def _finding(change: RunChange, found: list[Finding]) -> Finding | None:
    """What is said of the run: its verdict, else the worst."""
    mine = [one for one in found if change.now.label in one.runs and one.severity > Severity.INFO and one.name != GATE]
    return min(mine, key=lambda one: (not is_verdict(one), -one.severity.rank), default=None)


def _remedy(finding: Finding | None) -> str:
    if finding is None:
        return ""
    fix = finding.fixes[0].title if finding.fixes else ""
    return plain(_cut(" ".join((finding.help or fix).split()), WORDS))


def _gate(finding: Finding) -> str:
    return f"- **{finding.severity.value}** {plain(_cut(finding.message, WORDS))}"


def _arrows(text: str) -> str:
    return plain(text.replace("->", "→"))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
