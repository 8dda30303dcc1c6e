"""Completion in budgets: statements, their options, closed values, names of the catalog and of rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from budgetlint.language.read_slots import readable, slot_of
from budgetlint.language.slots import Slot, StatementSpec
from budgetlint.language.statements import STATEMENTS
from budgetlint.lsp.session import EditorSession, member

KEYWORD, PROPERTY, VALUE, REFERENCE = 14, 10, 12, 18
"""CompletionItemKind of LSP 3.17."""

_STATEMENT = re.compile(r"(?:^|[;{}])\s*([^;{}]*)$")
_IN_COMMAND = re.compile(r"(?:^|[;{}])\s*launch\s(?:[^;{}]|(?<=\S)[{}]|\{(?=\S))*$")
"""Behind ``launch``, whose ``{config}`` opens no block: what stands there is the shell's."""
_OPTION = re.compile(r"(\w+)=\[?(?:[^\]=]*,)?\s*[\w./-]*$")
_WORD = re.compile(r"[\w./@-]*$")
_QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_NEAR = 500
"""Characters before the cursor that are looked at."""


def answer(session: EditorSession, params: Any) -> list[dict[str, Any]] | None:
    """LSP 3.17 ``textDocument/completion``."""
    text = session.text(member(params, "textDocument"))
    if not text.path.endswith(".budget"):
        return None
    positions = session.positions(text)
    offset = positions.offset(params.get("position"))
    start = text.source.line_span(text.source.position(offset)[0]).start
    line = text.source.text[max(start, offset - _NEAR) : offset]
    begun = _STATEMENT.search(line)
    if begun is None or _in_comment(line) or _IN_COMMAND.search(line):
        return []
    in_keys = _opened_by(text.source.text[max(offset - _NEAR, 0) : offset])
    word = _WORD.search(line)
    edit = positions.range(
        positions.span({"start": positions.position(offset - len(word.group() if word else "")), "end": params["position"]})
    )
    items = _keys(begun.group(1)) if in_keys else _items(begun.group(1))
    return [item | {"textEdit": {"range": edit, "newText": item["label"]}} for item in items]


def _in_comment(line: str) -> bool:
    return "#" in _QUOTED.sub("", line)


def _opened_by(before: str) -> bool:
    """Is the cursor in the block of a statement whose lines are settings with keys (``reads``)?"""
    bare = _QUOTED.sub("", before)
    at = max(bare.rfind("{"), 0)
    opener = _STATEMENT.search(bare[:at].rpartition("\n")[2]) if bare.rfind("}") < at else None
    spec = STATEMENTS.get(opener.group(1).split(" ")[0]) if opener is not None else None
    return spec is not None and spec.keys


def _keys(begun: str) -> Iterator[dict[str, Any]]:
    """The settings that a file may say; which keys it has, the file knows."""
    if "=" not in begun.rpartition(" ")[2]:
        for name in readable():
            slot = slot_of(name)
            yield _item(f"{name}=", PROPERTY, slot.meaning if slot else "", slot.shown if slot else "")


def _items(begun: str) -> Iterator[dict[str, Any]]:
    """What may follow the statement as far as it is written."""
    keyword, blank, rest = begun.partition(" ")
    if not blank:
        yield from (_item(one.keyword, KEYWORD, one.meaning, one.usage) for one in STATEMENTS.values())
        return
    spec = STATEMENTS.get(keyword)
    if spec is None:
        return
    option = _OPTION.search(rest)
    if option is not None:
        slot = spec.option(option.group(1))
        yield from _values(slot) if slot else ()
        return
    yield from _of_statement(spec, rest)


def _of_statement(spec: StatementSpec, rest: str) -> Iterator[dict[str, Any]]:
    for slot in spec.values:
        if len(rest.split()) <= 1 or slot.many:
            yield from _values(slot)
    for slot in spec.options:
        if f"{slot.name}=" not in rest:
            yield _item(f"{slot.name}=", PROPERTY, slot.meaning, slot.shown)


def _values(slot: Slot) -> Iterator[dict[str, Any]]:
    for choice in ("on", "off") if slot.kind == "switch" else slot.choices:
        yield _item(choice, VALUE, slot.meaning)
    for name, meaning in _names(slot.kind):
        yield _item(name, REFERENCE, meaning)


def _names(kind: str) -> Iterator[tuple[str, str]]:
    if kind == "device":
        from budgetlint.catalog.devices import all_devices
        from budgetlint.catalog.machines import all_machines, said

        yield from ((device.name, device.official) for device in all_devices())
        yield from ((machine.name, " or ".join(said(machine.ways))) for machine in all_machines())
    elif kind == "model":
        from budgetlint.catalog.models import all_models

        yield from ((model.name, model.hub_id) for model in all_models())
    elif kind == "optimizer":
        from budgetlint.catalog.optimizers import all_optimizers

        yield from ((optimizer.name, optimizer.library) for optimizer in all_optimizers())
    elif kind == "rule":
        from budgetlint.engine.registry import installed

        yield from ((rule.name, rule.summary) for rule in installed().all)


def _item(label: str, kind: int, meaning: str, detail: str = "") -> dict[str, Any]:
    item: dict[str, Any] = {"label": label, "kind": kind}
    if detail:
        item["detail"] = detail
    return item | ({"documentation": meaning} if meaning else {})
