"""The format for people: each finding with its line, the span underlined, what it costs, the other places and the cure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from budgetlint.base.finding import Finding, Fix, Related, Safety
from budgetlint.base.plain_text import one_line
from budgetlint.base.source import Location, SourceFile
from budgetlint.report.alike import places, told_once
from budgetlint.report.shown import is_shown
from budgetlint.report.style import PLAIN, SEVERITY_INK, TerminalStyle, cells, wrapped
from budgetlint.report.summary import summary_lines
from budgetlint.results.report import Gate, Report


def render(report: Report, style: TerminalStyle = PLAIN, *, info: bool = False, gate: Gate = Gate(), **_options: Any) -> str:
    """Findings (info ones only when asked for), then the summary; ends with a line end."""
    shown = (finding for finding in report.findings if is_shown(finding, info=info))
    blocks = [
        "\n".join(finding_lines(finding, report.sources, style, report.urls.get(finding.code, ""), others))
        for finding, others in told_once(shown)
    ]
    changes = ["\n".join(block) for block in _changes(report, style)]
    return "\n\n".join([*blocks, *changes, "\n".join(summary_lines(report, style, info=info, gate=gate))]) + "\n"


def _changes(report: Report, style: TerminalStyle) -> Iterable[list[str]]:
    """With ``--compare-with``: what the change costs."""
    if report.comparison is None:
        return ()
    from budgetlint.report.compare_text import blocks

    return blocks(report.comparison, style)


def finding_lines(
    finding: Finding, sources: Mapping[str, SourceFile], style: TerminalStyle = PLAIN, url: str = "", others: tuple[Finding, ...] = ()
) -> Iterator[str]:
    """``url``: the page of the rule, where it has one; ``others`` say the same elsewhere."""
    lines = [finding.location.line, *(related.location.line for related in finding.related)]
    gutter = len(str(max(lines)))
    yield from _headline(finding, style)
    yield from _place(finding.location, sources, style, gutter, "-->", "^", SEVERITY_INK[finding.severity])
    for related in finding.related:
        yield from _elsewhere(related, sources, style, gutter)
    for label, text in _notes(finding):
        yield from _note(label, text, style, gutter)
    if others:
        yield from _note("also", places(others), style, gutter)
    rule = f"{finding.name} (budgetlint rule {finding.code})"
    yield from (line.replace(finding.name, style.link(finding.name, url)) for line in _note("rule", rule, style, gutter))


def _headline(finding: Finding, style: TerminalStyle) -> Iterator[str]:
    label = f"{finding.severity.value}[{finding.code}]"
    lines = wrapped(finding.message, style.width, first=f"{label}: ", rest="  ")
    yield style.severity(finding.severity, label) + style.ink(lines[0][len(label) :], "bold")
    yield from (style.ink(line, "bold") for line in lines[1:])


def _place(
    at: Location,
    sources: Mapping[str, SourceFile],
    style: TerminalStyle,
    gutter: int,
    arrow: str,
    mark: str,
    inks: tuple[str, ...],
    note: str = "",
) -> Iterator[str]:
    from budgetlint.report.excerpt import excerpt, marked  # here and below: most checks find nothing

    yield f"{' ' * gutter}{style.ink(arrow, 'blue')} {one_line(str(at))}"
    room = style.width - gutter - 3
    found = excerpt(sources.get(at.file), at, room)
    if found is None:
        if note:
            yield from _note("note", note, style, gutter)
        return
    beside = note if found.pad + found.length + 1 + cells(note) <= room else ""
    yield f"{' ' * gutter} {style.ink('|', 'blue')}"
    yield from marked(found, style, gutter, mark, inks, one_line(beside))
    if note and not beside:
        yield from (f"{' ' * gutter} {style.ink('|', 'blue')} {line}" for line in wrapped(note, room, first="  ", rest="  "))


def _elsewhere(related: Related, sources: Mapping[str, SourceFile], style: TerminalStyle, gutter: int) -> Iterator[str]:
    yield f"{' ' * gutter} {style.ink('|', 'blue')}"
    yield from _place(related.location, sources, style, gutter, ":::", "-", ("blue",), related.message)


def _notes(finding: Finding) -> Iterator[tuple[str, str]]:
    if finding.numbers:
        from budgetlint.report.numbers import shown_numbers

        yield "cost", shown_numbers(finding.numbers)
    if finding.help:
        yield "help", finding.help
    for fix in finding.fixes:
        yield "fix", _fix_text(fix)
    if len(finding.runs) > 1:
        yield "runs", ", ".join(finding.runs)


_HOW = {Safety.SAFE: "--fix", Safety.UNSAFE: "--unsafe-fixes"}


def _fix_text(fix: Fix) -> str:
    return f"{fix.title} ({_HOW[fix.safety]})" if fix.safety in _HOW and fix.edits else fix.title


def _note(label: str, text: str, style: TerminalStyle, gutter: int) -> Iterator[str]:
    lead = f"{' ' * gutter} = "
    lines = wrapped(text, style.width, first=f"{lead}{label}: ", rest=" " * (len(lead) + len(label) + 2))
    head = f"{' ' * gutter} {style.ink('=', 'blue')} {style.ink(f'{label}:', 'bold')}"
    yield head + lines[0][len(lead) + len(label) + 1 :]
    yield from lines[1:]
