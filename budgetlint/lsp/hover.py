"""Hover: what a setting means here, where its default is, what it costs, and what one step more or less would change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from budgetlint.base.source import Span
from budgetlint.base.units import gib
from budgetlint.lsp.catalog_text import catalog_text
from budgetlint.lsp.here import Used, settings_at
from budgetlint.lsp.session import EditorSession, member
from budgetlint.lsp.statement_text import statement_text
from budgetlint.lsp.steps import steps
from budgetlint.lsp.workspace import CheckedWorkspace
from budgetlint.memory.term import Term
from budgetlint.report.gfm import code, plain
from budgetlint.report.terms import sized
from budgetlint.settings.run import Setting, Settings
from budgetlint.settings.vocabulary import SETTINGS

BUCKETS = 4
RUNS = 3
"""So many runs of one file are told apart; more are counted."""


def answer(session: EditorSession, params: Any) -> dict[str, Any] | None:
    """LSP 3.17 ``textDocument/hover``."""
    text = session.text(member(params, "textDocument"))
    positions, checked = session.positions(text), session.checked(text)
    offset = positions.offset(params.get("position"))
    found = _told(checked, text.path, text.source.text, offset)
    if found is None:
        return None
    lines, span = found
    told = "\n\n".join(lines)
    contents = {"kind": "markdown", "value": told} if session.markdown else {"kind": "plaintext", "value": _bare(told)}
    return {"contents": contents, "range": positions.range(span)}


def _bare(markdown: str) -> str:
    """For an editor that shows marks as they are (Emacs without markdown-mode)."""
    return _MARKS.sub(lambda found: found["code"] or found["mark"] or _ENTITIES.get(found[0], ""), markdown)


_MARKS = re.compile(
    r"^```\w*\n?|(?P<ticks>`+) ?(?P<code>.+?) ?(?P=ticks)|\\(?P<mark>[\\`*_\[\]~|$])|\*\*|<!-- -->|&(?:amp|lt);", re.MULTILINE
)
_ENTITIES = {"&amp;": "&", "&lt;": "<"}


def _told(checked: CheckedWorkspace, path: str, text: str, offset: int) -> tuple[list[str], Span] | None:
    used = [one for one in settings_at(checked, path, offset) if one.setting.name in SETTINGS]
    if path.endswith(".budget"):
        statement = statement_text(text, offset)
        return None if statement is None else ([*statement[0], *_in_runs(used)], statement[1])
    # a key that the bill does not depend on: its findings say what there is to say
    return (list(_setting_lines(used)), _span_of(used[0].setting, offset)) if used else None


def _span_of(setting: Setting, offset: int) -> Span:
    spans = [span for span in (setting.origin.key_span, setting.origin.span) if span is not None]
    return next((span for span in spans if span.start <= offset <= span.end), spans[0])


def _setting_lines(used: list[Used]) -> Iterator[str]:
    by_name: dict[str, list[Used]] = {}
    for one in used:
        by_name.setdefault(one.setting.name, []).append(one)
    for name, several in by_name.items():
        spec = SETTINGS[name]
        yield f"**{name}**: {spec.meaning}{f' ({spec.unit})' if spec.unit else ''}"
        yield from _same_for_all(several[0])
        yield from _in_runs(several)


def _in_runs(used: list[Used]) -> Iterator[str]:
    for one in used[:RUNS]:
        yield from _in_run(one, named=len(used) > 1)
    if len(used) > RUNS:
        yield f"… and {len(used) - RUNS} more runs"


def _same_for_all(used: Used) -> Iterator[str]:
    setting = used.setting
    if setting.origin.note:
        yield _words(setting.origin.note)
    default = _default(used)
    if default is not None:
        yield f"Without this line: {_value(default)} ({_words(str(default.origin))})"
    known = catalog_text(setting.name, setting.value) if setting.known else ""
    if known:
        yield known


def _default(used: Used) -> Setting | None:
    """What the framework would take if the line were not there."""
    from budgetlint.readers import reader_by
    from budgetlint.readers.base import complete
    from budgetlint.resolve.run_parts import started_by

    run = used.context.run
    reading = next((one for one in run.readings if one.document.source is used.setting.origin.source), None)
    if reading is None:
        return None
    rest = Settings([one for one in reading.settings.values() if one.name != used.setting.name])
    found = complete(reader_by(reading), rest, run.stack, started_by(run.readings)).get(used.setting.name)
    return found if found is not None and found.is_default else None


def _words(text: str) -> str:
    """Within a word an underscore is no mark (CommonMark 0.31, 6.2)."""
    return _INNER.sub("_", plain(text))


_INNER = re.compile(r"(?<=\w)\\_(?=\w)")


def _value(setting: Setting) -> str:
    if isinstance(setting.value, bool):
        return "on" if setting.value else "off"
    return code(setting.text or str(setting.value))


def _in_run(used: Used, *, named: bool) -> Iterator[str]:
    context, setting = used.context, used.setting
    head = f"{code(context.label)}: " if named else ""
    winner = context.setting(setting.name)
    if winner is not None and winner is not setting and winner.origin.location is not None:
        yield f"{head}overridden by {_words(str(winner.origin.location))} ({_value(winner)})"
        return
    terms = _terms(used)
    if terms:
        buckets = ", ".join(f"{gib(size)} {name}" for name, size in _by_bucket(terms).items())
        yield f"{head}shapes {gib(sum(term.bytes for term in terms))} of the peak: {buckets}"
        yield f"{head}the largest of it: {plain(terms[0].label)}, {plain(sized(terms[0]))}"
    changes = [f"{_plain(step.value)} → {_signed(step.change)}" for step in _steps(used)]
    if changes:
        yield f"{head}instead: {'; '.join(changes)}"


def _terms(used: Used) -> list[Term]:
    """The terms of the bill that this setting leads to, largest first."""
    if used.context.estimate is None:
        return []
    bill = [term for term in used.context.estimate.bill if term.bytes]
    mine = [term for term in bill if any(used.setting is one or _same(used.setting, one) for one in term.because)]
    return sorted(mine, key=lambda term: -term.bytes)


def _by_bucket(terms: Iterable[Term]) -> dict[str, int]:
    """The largest buckets."""
    sums: dict[str, int] = {}
    for term in terms:
        sums[term.bucket.value] = sums.get(term.bucket.value, 0) + term.bytes
    return dict(sorted(sums.items(), key=lambda item: -item[1])[:BUCKETS])


def _same(one: Setting, other: Setting) -> bool:
    return one.name == other.name and one.origin.span == other.origin.span and one.origin.source is other.origin.source


def _steps(used: Used) -> Iterator[Any]:
    from budgetlint.solve.whatif import Bench

    plan = used.context.plan
    if plan is not None:
        yield from steps(Bench(used.context, plan.arch), used.setting)


def _plain(value: Any) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _signed(change: int) -> str:
    if not change:
        return "no change"
    return f"{'+' if change > 0 else '−'}{gib(abs(change))}"
