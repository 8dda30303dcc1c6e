"""Words of configs and flags that a program compares with words of its own: ``cfg["precision"] == "bf16"``, ``DTYPES.get(args.dtype)``."""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.program.choices import alternatives
from budgetlint.program.misfits import origin_of
from budgetlint.program.noted import AskedWord
from budgetlint.program.places import Place
from budgetlint.program.state import Interpreter
from budgetlint.program.values import Items, Known, Map, Value


def compared_with(it: Interpreter, left: Value, right: Value, place: Place, *, within: bool) -> None:
    """``left == right``; ``left in right`` (``within``), which of a text asks for a part of it."""
    if within and isinstance(right, Known):
        if isinstance(right.value, str) and isinstance(left, Known) and str(left.value) in right.value:
            _note(it, right, [right.value], place)
        return
    for value, other in ((left, right), (right, left)):
        for way in alternatives(value):
            if isinstance(way.value, Known) and isinstance(way.value.value, str) and way.value.origins:
                _note(it, way.value, list(_words(other)), place)


def looked_up(it: Interpreter, key: Value, table: Map, place: Place) -> None:
    """``TABLE.get(key, default)`` and ``TABLE[key]`` of a table that the source writes."""
    if isinstance(key, Known) and table.root is None and not any(one.kind in ("config", "flag") for one in table.origins):
        _note(it, key, [one for one in table.items if isinstance(one, str)] if table.rest is None else [], place)


def _words(value: Value) -> Iterable[str]:
    """Texts of the program's own."""
    if isinstance(value, Map):
        yield from (one for one in value.items if isinstance(one, str) and value.rest is None)
        return
    for one in value.items if isinstance(value, Items) else (value,):
        if isinstance(one, Known) and isinstance(one.value, str) and one.value and all(origin.kind == "source" for origin in one.origins):
            yield one.value


def _note(it: Interpreter, value: Known, words: list[str], place: Place) -> None:
    origin = origin_of(value)
    if origin is None or not words or not isinstance(value.value, str):
        return
    at = (origin.place.path, origin.place.line, origin.place.span.start if origin.place.span is not None else 0, origin.key)
    known = it.asked_words.setdefault(at, AskedWord(value.value, origin, place, set()))
    known.words.update(words)
    if value.value in words:  # also after ``lower()``
        known.words.add(known.text)
