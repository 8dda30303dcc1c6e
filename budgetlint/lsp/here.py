"""What stands at a place of an open text: a setting of its runs, a key, a statement of a budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from budgetlint.base.record import record
from budgetlint.documents import Document
from budgetlint.lsp.workspace import CheckedWorkspace
from budgetlint.settings.run import Setting

if TYPE_CHECKING:
    from budgetlint.rules_api.context import RunContext


@record
class Used:
    """A setting, and a run that it is part of."""

    setting: Setting
    context: RunContext


def settings_at(checked: CheckedWorkspace, path: str, offset: int) -> list[Used]:
    """The settings, one for each run, whose key or value covers the place. The narrowest value wins over a block around it."""
    found = [used for used in _settings_in(checked, path) if _covers(used.setting, offset)]
    least = min((_width(used.setting) for used in found), default=0)
    return [used for used in found if _width(used.setting) == least]


def _settings_in(checked: CheckedWorkspace, path: str) -> Iterator[Used]:
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


def documents_of(checked: CheckedWorkspace, path: str) -> list[Document]:
    return [context.reading.document for context in checked.judged.documents if context.reading.document.path == path]
