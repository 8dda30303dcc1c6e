"""``check --format markdown``: a step summary or a comment on a pull request. The verdict of every run, worst first; the findings,
worst first, each collapsed; the bill of the worst run. With ``--compare-with`` what changed stands first, and the rest is folded.

The first line is a mark that nobody sees: by it a recipe finds its comment and writes it anew, rather than another one.

GitHub takes a comment of at most 65,536 characters, and drops a step summary over 1 MiB
(https://docs.github.com/actions/reference/workflow-commands-for-github-actions, "Step isolation and limits"): what does not fit in a
comment is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from budgetlint.base.finding import Finding
from budgetlint.base.units import gib
from budgetlint.report.alike import places, told_once
from budgetlint.report.answer import fork_lines, parts, unstarted
from budgetlint.report.bill import LINES, costly_lines
from budgetlint.report.excerpt import excerpt, marked
from budgetlint.report.gfm import block, cell, code, details, html, html_code, plain, table
from budgetlint.report.headroom import shown_figures, worst_first
from budgetlint.report.markdown_bars import bucket_table
from budgetlint.report.numbers import shown_numbers
from budgetlint.report.shown import counted, shown
from budgetlint.report.style import PLAIN, WIDTH, TerminalStyle, plural
from budgetlint.report.summary import findings_line, passed_line, verdict_count, verdicts_line
from budgetlint.report.tree import Tree
from budgetlint.results.report import Report
from budgetlint.results.verdict import RunVerdict

MARK = "<!-- budgetlint -->"
ROOM = 60_000
"""Bytes of UTF-8: a comment may get a few lines of its own."""

RUNS = 50
NAME, WORDS = 120, 1_000
"""Characters of a name, and of a text for people: one with more is cut."""


def render(report: Report, _style: TerminalStyle = PLAIN, *, info: bool = False, tree: Tree = Tree(), **_options: Any) -> str:
    found = shown(report, info=info)
    verdicts = worst_first(report.verdicts)
    head = [f"{MARK}\n## budgetlint: {counted(found)}"]
    if report.comparison is not None:
        from budgetlint.report.markdown_change import lead

        head += lead(report.comparison, found, tree)
    head += [plain(findings_line(report, info=info)), plain(verdicts_line(report))]
    head += [plain(passed_line(report.passed))] if report.passed else []
    if report.comparison is None:
        head += _verdicts(verdicts)
        bill = list(_bill(verdicts, report, tree))
    else:
        bill = [
            *_folded("Every run", _verdicts(verdicts)),
            *_changes(report, tree),
            *_folded("The largest bill", _bill(verdicts, report, tree)),
        ]
    room = ROOM - sum(_size(part) for part in (*head, *bill))
    return "\n\n".join([*head, *_findings(found, report, tree, room), *bill]) + "\n"


def _size(part: str) -> int:
    return len(part.encode("utf-8", "replace")) + 2


def _cut(text: str, most: int = WORDS) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


# -- verdicts ----------------------------------------------------------------------------------------------------------------


def _verdicts(verdicts: list[RunVerdict]) -> Iterator[str]:
    if not verdicts:
        return
    columns = (("run", "---"), ("verdict", "---"), ("need", "---:"), ("limit", "---:"), ("headroom", "---:"))
    yield table(columns, ((cell(_cut(one.label, NAME)), _verdict(one), *shown_figures(one)) for one in verdicts[:RUNS]))
    if rest := verdicts[RUNS:]:
        counts = Counter(one.verdict for one in rest)
        yield f"{plural(len(rest), 'more run')}: {', '.join(verdict_count(kind, count) for kind, count in counts.items())}"


def _verdict(verdict: RunVerdict) -> str:
    words, names = parts(verdict)
    told = f": {fork_lines(verdict)[0]}" if verdict.forks else ""
    start = f"; **{unstarted(verdict.stops)}**" if verdict.stops else ""
    return f"**{words}**{f' {plain(names)}' if names else ''}{plain(_cut(told))}{start}"


def _folded(title: str, some: Iterator[str]) -> Iterator[str]:
    body = "\n\n".join(some)
    if body:
        yield details(f"<b>{title}</b>", body)


def _changes(report: Report, tree: Tree) -> Iterator[str]:
    """With ``--compare-with``: the bills before and after, as many as there is room for beside the findings."""
    if report.comparison is None:
        return
    from budgetlint.report.compare_markdown import bills

    room = ROOM // 2
    for number, part in enumerate(bills(report.comparison, tree)):
        room -= _size(part)
        if room < 0 and number:
            yield "more bills are left out to stay within the size of a comment"
            return
        yield part


# -- findings ----------------------------------------------------------------------------------------------------------------


def _findings(found: list[Finding], report: Report, tree: Tree, room: int) -> Iterator[str]:
    if not found:
        return
    yield "### Findings"
    told = told_once(found)
    for number, (finding, others) in enumerate(told):
        part = _finding(finding, report, tree, others)
        room -= _size(part)
        if room < 0:
            rest = [one for first, more in told[number:] for one in (first, *more)]
            yield f"{counted(rest)} more, left out to stay within the size of a comment"
            return
        yield part


def _finding(finding: Finding, report: Report, tree: Tree, others: tuple[Finding, ...]) -> str:
    at = finding.location
    place = html_code(f"{tree.path(at.file)}:{at.line}:{at.column}")
    summary = f"<b>{finding.severity.value}</b> {finding.code} {html(finding.name)} {place}<br>{html(_cut(finding.message))}"
    return details(
        summary, "\n\n".join([*_excerpt(finding, report), "\n".join(f"- {note}" for note in _notes(finding, report, tree, others))])
    )


def _excerpt(finding: Finding, report: Report) -> Iterator[str]:
    at = finding.location
    gutter = len(str(at.line))
    found = excerpt(report.sources.get(at.file), at, WIDTH - gutter - 3)
    if found is not None:
        yield block(marked(found, PLAIN, gutter, "^", ()))


def _notes(finding: Finding, report: Report, tree: Tree, others: tuple[Finding, ...]) -> Iterator[str]:
    if finding.numbers:
        yield f"cost: {plain(_cut(shown_numbers(finding.numbers)))}"
    if finding.help:
        yield f"help: {plain(_cut(finding.help))}"
    for fix in finding.fixes:
        yield f"fix ({fix.safety.value}): {plain(_cut(fix.title))}"
    for related in finding.related:
        at = related.location
        yield f"see {code(f'{tree.path(at.file)}:{at.line}')}: {plain(_cut(related.message))}"
    if finding.runs:
        yield f"runs: {_cut(', '.join(code(run) for run in finding.runs))}"
    if others:
        yield plain(_cut(places(others)))
    url = report.urls.get(finding.code, "")
    page = f"[{finding.name}](<{url}>)" if url.startswith(("https://", "http://")) and not set(url) & set("<> \n") else code(finding.name)
    yield f"rule: {page} (`budgetlint rule {finding.code}`)"


# -- the bill ----------------------------------------------------------------------------------------------------------------


def _bill(verdicts: list[RunVerdict], report: Report, tree: Tree) -> Iterator[str]:
    worst = next((one for one in verdicts if one.bill), None)
    if worst is None:
        return
    yield f"### The bill of {code(_cut(worst.label, NAME))}"
    yield f"{gib(worst.need or 0)} are live at the peak, in {plain(worst.peak_phase)}; the lines of the configs that set it:"
    yield bucket_table(worst)
    yield table((("bytes", "---:"), ("setting", "---"), ("where", "---")), _lines(worst, report, tree))


def _lines(worst: RunVerdict, report: Report, tree: Tree) -> Iterator[tuple[str, str, str]]:
    lines = [line for line in costly_lines(worst.bill) if line.bytes > 0]
    for line in lines[:LINES]:
        said = f"{line.key}: {line.text}" if line.text else f"{line.key} (no setting)"
        yield gib(line.bytes), cell(_cut(said, NAME)), plain(_cut(_where(line.where, report, tree), NAME))
    if rest := sum(line.bytes for line in lines[LINES:]):
        yield gib(rest), plural(len(lines) - LINES, "more line"), ""


def _where(where: str, report: Report, tree: Tree) -> str:
    """``file:line`` as seen from the top; the source of a default as it is."""
    return tree.path(where) if where.rpartition(":")[0] in report.sources else where
