"""The merged run: every setting, its value, where it comes from, and what it overrode."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from budgetlint.base.plain_text import ascii_json, one_line
from budgetlint.report.style import PLAIN, TerminalStyle, cells, padded
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import Setting
from budgetlint.settings.vocabulary import SETTINGS


def render(context: RunContext, style: TerminalStyle = PLAIN) -> str:
    """One run as a table in the order of the vocabulary; ends with a line end."""
    rows = [context.run.settings[name] for name in SETTINGS if name in context.run.settings]
    wide = max((len(setting.name) for setting in rows), default=0)
    told = max((cells(shown_value(setting)) for setting in rows), default=0)
    lines = [style.ink(one_line(context.label), "bold"), f"  stack: {one_line(str(context.run.stack))}"]
    for setting in rows:
        lines.extend(_rows(setting, wide, min(told, 36), style))
    return "\n".join(lines) + "\n"


def _rows(setting: Setting, wide: int, told: int, style: TerminalStyle) -> Iterator[str]:
    yield f"  {setting.name:<{wide}}  {padded(shown_value(setting), told)}  {style.ink(_where(setting), 'dim')}"
    for loser in setting.overrode:
        yield style.ink(f"  {'':<{wide}}  overrode {shown_value(loser)}  {_where(loser)}", "dim")


def shown_value(setting: Setting) -> str:
    """The value in one line, as people read it."""
    return one_line(_value(setting))


def _value(setting: Setting) -> str:
    if setting.state == "symbolic":
        return f"{setting.text} (unresolved)"
    if setting.state == "auto":
        return f"{setting.text or 'auto'} ({setting.certainty})"
    value = setting.value
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (tuple, list, frozenset)):
        return ", ".join(map(str, value)) or "none"
    name = getattr(value, "name", None)
    return str(name if name is not None else value)


def _where(setting: Setting) -> str:
    key = f"  {setting.origin.key}" if setting.origin.key and setting.origin.location else ""
    return one_line(f"{setting.origin}{key}")


def render_json(contexts: Iterable[RunContext]) -> str:
    document = {"version": 1, "runs": [_run(context) for context in contexts]}
    return ascii_json(document, indent=2)


def _run(context: RunContext) -> dict[str, Any]:
    return {
        "name": context.run.name,
        "target": context.target.name if context.target else None,
        "cell": context.cell or None,
        "stack": {name: release.said for name, release in context.run.stack.releases.items()},
        "settings": [_setting(context.run.settings[name]) for name in SETTINGS if name in context.run.settings],
    }


def plain_value(setting: Setting) -> Any:
    """The value as JSON has it."""
    return _plain(setting.value)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    return [_plain(item) for item in value] if isinstance(value, tuple) else str(value)


def _setting(setting: Setting) -> dict[str, Any]:
    at = setting.origin.location
    return {
        "name": setting.name,
        "value": _plain(setting.value),
        "text": setting.text,
        "state": setting.state,
        "certainty": setting.certainty,
        "readings": [_plain(value) for value in setting.readings],
        "origin": setting.origin.kind.value,
        "file": at.file if at else None,
        "line": at.line if at else None,
        "key": setting.origin.key or None,
        "note": setting.origin.note or None,
        "overrode": [_setting(loser) for loser in setting.overrode],
    }
