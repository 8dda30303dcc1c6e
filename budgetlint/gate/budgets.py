"""A budget as the change has it, with what judges put back as it was.

Statements that judge come from the revision. Those that describe a run come from it too where files say what the run is (a `config`, a
`launch`, a `reads`), or where the budget describes none: there they are claims about what is judged. Where the budget itself is all there
is of a run, its description is what is judged, and comes from the change. Nothing moves to another line that need not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from budgetlint.base.record import open_record
from budgetlint.base.source import Location, SourceFile, Span
from budgetlint.gate.change import LOOSENS, GateChange
from budgetlint.gate.classes import JUDGING, way_of_statement
from budgetlint.language import parse
from budgetlint.language.format import written
from budgetlint.language.tree import Assert, Item, Keys, Let, Statement, Value

BLOCKS = ("run", "target")
BINDS = frozenset(("config", "launch", "reads", "declared", "watches"))
"""Statements by which files say what a run is."""

Edit = tuple[Span, str]


@open_record
class Restored:
    """``text`` is the budget as it judges, ``changes`` what the change would have made of it."""

    text: str
    changes: tuple[GateChange, ...]


def restored(was: SourceFile, now: SourceFile) -> Restored:
    """Today's budget with the gate of an earlier one. Where one does not parse, which the language itself tells, nothing is merged:
    then the earlier one holds as a whole."""
    (before, broken), (after, broken_now) = parse(was), parse(now)
    if broken or broken_now:
        same = was.text == now.text
        return Restored(
            was.text, () if same else (GateChange("budget", "what it said", "a text with errors", LOOSENS, Location(now.path)),)
        )
    bound = not _has_own_run((*before.items, *after.items))
    edits, changes = [], []
    for edit, change in _scope(was, now, before.items, after.items, len(now.text), bound, ""):
        edits += [edit] if edit else []
        changes += [change] if change else []
    return Restored(_edited(now.text, edits), tuple(changes))


def _has_own_run(items: Iterable[Item]) -> bool:
    """Does a budget describe a run of its own at its top level, which no file does?"""
    keywords = {_keyword(item) for item in items}
    return "model" in keywords and not keywords & BINDS


def _scope(
    was: SourceFile, now: SourceFile, before: Sequence[Item], after: Sequence[Item], end: int, bound: bool, within: str
) -> Iterator[tuple[Edit | None, GateChange | None]]:
    """``end`` is where a statement can be added to the scope, ``bound`` whether files say what it describes."""
    blocks = {_name(item): item for item in after if _is_block(item)}
    known = {_name(item) for item in before if _is_block(item)}
    for item in before:
        if _is_block(item) and _name(item) not in blocks:
            yield from _gone_block(now, item, end, within)
    for item in after:
        if _is_block(item) and _name(item) in known:
            earlier = next(one for one in before if _is_block(one) and _name(one) == _name(item))
            yield from _block(was, now, earlier, item, bound)
    had_targets = any(name.startswith("target ") for name in known)
    for item in after:
        if _is_block(item) and _name(item) not in known and _keyword(item) == "target" and not had_targets:
            # where there was one machine for all, a first target would take its place
            yield (item.span, ""), _change(None, item, now, within)
    yield from _statements(now, before, after, end, bound, within)


def _block(was: SourceFile, now: SourceFile, before: Item, after: Item, bound: bool) -> Iterator[tuple[Edit | None, GateChange | None]]:
    assert isinstance(before, Statement)
    assert isinstance(after, Statement)
    inside, inside_now = before.block or (), after.block or ()
    is_bound = before.keyword == "target" or bool({_keyword(item) for item in (*inside, *inside_now)} & BINDS)
    own = bool({_keyword(item) for item in (*inside, *inside_now)} & {"model"})
    yield from _scope(was, now, inside, inside_now, after.span.end - 1, is_bound or (bound and not own), _name(after))


def _gone_block(now: SourceFile, item: Item, end: int, within: str) -> Iterator[tuple[Edit | None, GateChange | None]]:
    """A target or a run of files that was taken out is put back; a run that the budget alone described is no longer there."""
    assert isinstance(item, Statement)
    change = GateChange(item.keyword, _told(item, within), "", LOOSENS, Location(now.path), now.path)
    kept = item.keyword == "target" or {_keyword(one) for one in item.block or ()} & BINDS
    yield ((Span(end, end), f"; {written(item)} ") if kept else None), change


def _statements(
    now: SourceFile, before: Sequence[Item], after: Sequence[Item], end: int, bound: bool, within: str
) -> Iterator[tuple[Edit | None, GateChange | None]]:
    earlier = [item for item in before if not _is_block(item)]
    today = [item for item in after if not _is_block(item)]
    counts = Counter(map(written, earlier))
    fresh: list[Item] = []
    for item in today:
        if counts[written(item)]:
            counts[written(item)] -= 1
        else:
            fresh.append(item)
    gone = [item for item in earlier if _taken(counts, written(item))]
    for item in gone:
        partner = next((one for one in fresh if _keyword(one) == _keyword(item)), None)
        if partner is not None:
            fresh.remove(partner)
        holds = bound or _keyword(item) in JUDGING or (isinstance(item, Let) and _is_used(item.name, earlier))
        edit = (partner.span, written(item)) if partner is not None else (Span(end, end), f"; {written(item)} ")
        yield (edit if holds else None), (_change(item, partner, now, within) if holds else None)
    for item in fresh:
        holds = bound or _keyword(item) in JUDGING
        edit = (item.span, "")
        yield (edit if holds else None), (_change(None, item, now, within) if holds else None)


def _taken(counts: Counter[str], text: str) -> bool:
    if not counts[text]:
        return False
    counts[text] -= 1
    return True


def _change(was: Item | None, now: Item | None, source: SourceFile, within: str) -> GateChange:
    item = now or was
    assert item is not None
    before, after = (written(one) if one is not None else "" for one in (was, now))
    way = way_of_statement(_keyword(item).partition(" ")[0], before, after)
    where = source.locate(now.span) if now is not None else Location(source.path)
    told, told_now = (_told(one, within) if one is not None else "" for one in (was, now))
    return GateChange(_keyword(item).partition(" ")[0], told, told_now, way, where, source.path)


def _told(item: Item, within: str) -> str:
    return f"{within}: {written(item)}" if within else written(item)


def _keyword(item: Item) -> str:
    """Statements of one keyword replace each other; a `let` those of its name."""
    match item:
        case Statement():
            return item.keyword
        case Let():
            return f"let {item.name}"
        case Assert():
            return "assert"
        case Keys():
            return "keys"


def _is_block(item: Item) -> bool:
    return isinstance(item, Statement) and item.keyword in BLOCKS


def _name(item: Item) -> str:
    assert isinstance(item, Statement)
    first = item.values[0] if item.values else None
    return f"{item.keyword} {first.content if isinstance(first, Value) else ''}"


def _is_used(name: str, items: Iterable[Item]) -> bool:
    """Does a statement that judges use this value?"""
    return any(f"${name}" in written(item) for item in items if _keyword(item) in JUDGING)


def _edited(text: str, edits: Iterable[Edit]) -> str:
    """Later edits first; a new text on one line keeps the line ends of the old, so that what follows stays where it is."""
    for span, new in sorted(edits, key=lambda edit: -edit[0].start):
        lines = text[span.start : span.end].count("\n")
        text = text[: span.start] + new + "\n" * lines + text[span.end :]
    return text
