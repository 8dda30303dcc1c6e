"""What a statement of the budget language means, for a hover: from the statement table."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.source import SourceFile, Span
from budgetlint.language.read_slots import slot_of
from budgetlint.language.slots import Slot, StatementSpec
from budgetlint.language.statements import STATEMENTS
from budgetlint.language.tree import Item, Keys, Option, Statement, Value
from budgetlint.lsp.catalog_text import catalog_text

CATALOG = {"device": "device", "model": "model", "also": "model", "optimizer": "optimizer"}
"""Statements whose first value is a name of the catalog."""


def statement_text(text: str, offset: int) -> tuple[list[str], Span] | None:
    """The lines about the statement, option or name at a place of a budget, and what they are about."""
    found = statement_at(text, offset)
    if found is None:
        return None
    spec = STATEMENTS.get(found.keyword)
    if spec is None:
        return None
    option = next((one for one in _options(found) if one.span.start <= offset <= one.span.end), None)
    slot = None if option is None else slot_of(option.key) if spec.keys else spec.option(option.key)
    if option is not None and slot is not None:
        return [f"**{spec.keyword} {option.key}=**: {_slot(slot)}"], option.span
    value = next((one for one in found.values if isinstance(one, Value) and one.span.start <= offset <= one.span.end), None)
    if value is not None and spec.keyword in CATALOG:
        known = catalog_text(CATALOG[spec.keyword], value.content)
        if known:
            return [known], value.span
    return list(_lines(spec)), found.keyword_span


def _options(statement: Statement) -> Iterator[Option]:
    """Its own, and those on the lines of its block (``reads``)."""
    yield from statement.options
    for item in statement.block or ():
        yield from item.options if isinstance(item, Keys) else ()


def statement_at(text: str, offset: int) -> Statement | None:
    """The innermost statement at a place; broken ones elsewhere in the text do not matter."""
    from budgetlint.language.parsing import parse

    return _innermost(parse(SourceFile("", text))[0].items, offset)


def _innermost(items: tuple[Item, ...], offset: int) -> Statement | None:
    for item in items:
        if isinstance(item, Statement) and item.span.start <= offset <= item.span.end:
            return _innermost(item.block or (), offset) or item
    return None


def _lines(spec: StatementSpec) -> Iterator[str]:
    yield f"**{spec.keyword}**: {spec.meaning}"
    yield f"```budget\n{spec.usage}\n```"
    yield f"`{spec.example}`"
    if spec.options:
        yield "\n".join(f"- `{slot.name}=` {_slot(slot)}" for slot in spec.options)


def _slot(slot: Slot) -> str:
    meaning = f"{slot.meaning}: " if slot.meaning else ""
    return f"{meaning}{slot.shown}"
