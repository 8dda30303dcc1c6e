"""``budgetlint rule``: a rule's manual page as text, Markdown or JSON, and the list of all rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from budgetlint.base.plain_text import ascii_json
from budgetlint.report.style import PLAIN, TerminalStyle, wrapped
from budgetlint.rules_api.manual import prose_and_code, read_manual
from budgetlint.rules_api.rule import Rule

VERSION = 1


def render(rule: Rule, format: str = "text", style: TerminalStyle = PLAIN) -> str:
    """One page, in one of `PAGES`."""
    return PAGES[format](rule, style)


def render_all(rules: Iterable[Rule], format: str = "text", style: TerminalStyle = PLAIN) -> str:
    """Every rule: a table with one line each, or JSON with one object each."""
    return LISTS[format](tuple(rules), style)


# -- one page ----------------------------------------------------------------------------------------------------------------


def facts(rule: Rule) -> Iterator[tuple[str, str]]:
    """What the metadata says, as label and value; what is usual is left out."""
    yield "severity", f"{rule.default_severity.value}, confidence {rule.confidence.value}"
    yield "scope", rule.scope
    yield "since", rule.since
    if rule.status != "stable":
        yield "status", rule.status
    if rule.fix != "none":
        yield "fix", rule.fix
    for label, values in (("formats", rule.formats), ("needs", rule.needs), ("supersedes", rule.supersedes), ("aliases", rule.aliases)):
        if values:
            yield label, ", ".join(values)
    if rule.applies != "all versions":
        yield "applies to", rule.applies
    if rule.url:
        yield "page", rule.url


def _text(rule: Rule, style: TerminalStyle) -> str:
    manual = read_manual(rule.manual)
    lines = [style.severity(rule.default_severity, rule.code) + " " + style.ink(rule.name, "bold"), ""]
    lines += wrapped(manual.summary, style.width)
    lines += ["", *(f"  {label + ':':<12}{value}" for label, value in facts(rule))]
    if manual.lead:
        lines += ["", *_body(manual.lead, style)]
    for title, body in _sections(rule):
        lines += ["", style.ink(title, "bold"), "", *_body(body, style)]
    return "\n".join(lines) + "\n"


def _sections(rule: Rule) -> Iterator[tuple[str, str]]:
    """The manual's sections; sources of the metadata join those of the text."""
    sections = dict(read_manual(rule.manual).sections)
    body = sections.pop("Sources", "")
    more = [f"- {source}" for source in rule.sources if source not in body]
    yield from sections.items()
    if body or more:
        yield "Sources", "\n".join([*body.splitlines(), *more])


def _body(text: str, style: TerminalStyle) -> Iterator[str]:
    for number, (kind, piece) in enumerate(prose_and_code(text)):
        if number:
            yield ""
        if kind == "code":
            yield from (style.ink(f"    {line}", "cyan").rstrip() for line in piece.splitlines())
        else:
            yield from _prose(piece, style)


def _prose(text: str, style: TerminalStyle) -> Iterator[str]:
    """Paragraphs filled to the page; a line that starts an item or is indented starts anew."""
    for paragraph in _paragraphs(text):
        indent = "    " if paragraph.startswith("- ") else "  "
        yield from wrapped(paragraph, style.width, first="  ", rest=indent) if paragraph else [""]


def _paragraphs(text: str) -> Iterator[str]:
    current: list[str] = []
    for line in [*text.splitlines(), None]:
        starts = line is None or not line.strip() or line.lstrip().startswith(("- ", "|"))
        if starts and current:
            yield " ".join(current)
            current = []
        if line is not None and line.strip():
            current.append(line.strip())
        elif line is not None:
            yield ""


def _markdown(rule: Rule, _style: TerminalStyle = PLAIN) -> str:
    manual = read_manual(rule.manual)
    parts = [f"# {rule.code} {rule.name}", manual.summary, "\n".join(f"- {label}: {value}" for label, value in facts(rule)), manual.lead]
    parts += [f"## {title}\n\n{body}" for title, body in _sections(rule)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _json(rule: Rule, _style: TerminalStyle = PLAIN) -> str:
    return _dumped({"version": VERSION, "rules": [_page(rule)]})


def _page(rule: Rule) -> dict[str, Any]:
    return _row(rule) | {"manual": _markdown(rule)}


# -- the list ----------------------------------------------------------------------------------------------------------------


def _row(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.default_severity.value,
        "fix": rule.fix,
        "since": rule.since,
        "summary": rule.summary,
        "confidence": rule.confidence.value,
        "scope": rule.scope,
        "status": rule.status,
        "formats": list(rule.formats),
        "aliases": list(rule.aliases),
        "url": rule.url,
    }


def _all_text(rules: tuple[Rule, ...], style: TerminalStyle) -> str:
    wide = max((len(rule.name) for rule in rules), default=0)
    return "".join(_all_line(rule, wide, style) for rule in rules) + f"\n{len(rules)} rules; budgetlint rule NAME shows a page.\n"


def _all_line(rule: Rule, wide: int, style: TerminalStyle) -> str:
    severity = style.severity(rule.default_severity, f"{rule.default_severity.value:<8}")
    return f"{rule.code} {rule.name:<{wide}} {severity}{'' if rule.fix == 'none' else rule.fix:<7} {rule.summary}\n"


def _all_markdown(rules: tuple[Rule, ...], _style: TerminalStyle = PLAIN) -> str:
    return "\n".join(_markdown(rule) for rule in rules)


def _all_json(rules: tuple[Rule, ...], _style: TerminalStyle = PLAIN) -> str:
    return _dumped({"version": VERSION, "rules": [_row(rule) for rule in rules]})


def _dumped(value: object) -> str:
    return ascii_json(value, indent=2)


PAGES: dict[str, Callable[[Rule, TerminalStyle], str]] = {"text": _text, "markdown": _markdown, "json": _json}
LISTS: dict[str, Callable[[tuple[Rule, ...], TerminalStyle], str]] = {"text": _all_text, "markdown": _all_markdown, "json": _all_json}
