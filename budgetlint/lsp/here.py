"""What stands at a place of an open text: a setting of its runs, a key, a statement of a budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from budgetlint.documents import Document, Entry, Mapping, Node, Sequence
from budgetlint.lsp.workspace import Checked
from budgetlint.record import record
from budgetlint.run import Setting
from budgetlint.source import Span

if TYPE_CHECKING:
    from budgetlint.context import RunContext


@record
class Used:
    """A setting, and a run that it is part of."""

    setting: Setting
    context: RunContext


def settings_at(checked: Checked, path: str, offset: int) -> list[Used]:
    """The settings, one for each run, whose key or value covers the place. The narrowest value wins over a block around it."""
    found = [used for used in _settings_in(checked, path) if _covers(used.setting, offset)]
    least = min((_width(used.setting) for used in found), default=0)
    return [used for used in found if _width(used.setting) == least]


def settings_on(checked: Checked, path: str, spans: list[Span]) -> list[Used]:
    """The settings that stand in one of these spans."""
    inside = [(used, used.setting.origin.span) for used in _settings_in(checked, path)]
    return [used for used, span in inside if span and any(one.start <= span.start and span.end <= one.end for one in spans)]


def _settings_in(checked: Checked, path: str) -> Iterator[Used]:
    for context in checked.judged.runs:
        claimed = context.budget_run.settings.values() if context.budget_run else ()
        used = list(context.run.settings.values())
        for setting in (*used, *(one for one in claimed if all(one is not other for other in used))):
            for one in (setting, *setting.overrode):
                if one.origin.source is not None and one.origin.source.path == path and one.origin.span is not None:
                    yield Used(one, context)


def _covers(setting: Setting, offset: int) -> bool:
    spans = (setting.origin.span, setting.origin.key_span)
    return any(span is not None and span.start <= offset <= span.end for span in spans)


def _width(setting: Setting) -> int:
    span = setting.origin.span
    return span.end - span.start if span else 0


def documents_of(checked: Checked, path: str) -> list[Document]:
    return [context.reading.document for context in checked.judged.documents if context.reading.document.path == path]


def entry_at(document: Document, offset: int) -> tuple[str, Entry] | None:
    """The innermost key and value at a place, with its dotted path."""
    return _entry_at(document.root, offset, "")


def _entry_at(node: Node | None, offset: int, prefix: str) -> tuple[str, Entry] | None:
    if isinstance(node, Mapping):
        for entry in node.entries:
            path = f"{prefix}.{entry.key.text}" if prefix else entry.key.text
            if entry.key.span.start <= offset <= max(entry.key.span.end, entry.value.span.end):
                return _entry_at(entry.value, offset, path) or (path, entry)
    elif isinstance(node, Sequence):
        for index, item in enumerate(node.items):
            if item.span.start <= offset <= item.span.end:
                return _entry_at(item, offset, f"{prefix}.{index}" if prefix else str(index))
    return None
