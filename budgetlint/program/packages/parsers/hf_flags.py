"""Flags and keys of a package's own class, whose fields are in the package."""

from __future__ import annotations

from collections.abc import Container, Sequence

from budgetlint.program.operators import made_of
from budgetlint.program.packages.parsers.fields import is_list, is_text, may_have
from budgetlint.program.packages.parsers.options import flag_origin, text_of_word
from budgetlint.program.places import Origin, Place
from budgetlint.program.values import (
    Items,
    Known,
    Open,
    Value,
)


def may_take(kind: str, name: str, *, start: bool) -> bool:
    return may_have(kind, name, start=start) or (start and may_have(kind, name.removeprefix("no_"), start=True))


def foreign_flags(left: Sequence[Value], own: Container[str] = ()) -> tuple[dict[str, Value], list[Value]]:
    """Flags that no option of the repository takes, by name: those of the package's class. ``own``: the repository's options."""
    found: dict[str, Value] = {}
    rest: list[Value] = []
    waiting = list(left)
    while waiting:
        word = waiting.pop(0)
        text = text_of_word(word)
        if not text.startswith("--"):
            rest.append(word)
            continue
        name, equals, value = text.partition("=")
        values: list[Value] = (
            [Known(value, word.origins) if isinstance(word, Known) else Open("word", value, word.origins)] if equals else []
        )
        while not equals and waiting and not text_of_word(waiting[0]).startswith("--"):
            values.append(waiting.pop(0))
        plain = name[2:].replace("-", "_")
        if plain.startswith("no_") and not values and plain not in _NO and plain[3:] not in own:
            found[plain[3:]] = Known(False, (flag_origin(word, name),))
        else:
            found[plain] = _plain(plain, values, flag_origin(word, name))
    return found, rest


_NO = frozenset({"no_cuda"})


def of_file(name: str, value: Value) -> Value:
    """A text of a file of defaults is read as a word is; all else is what YAML makes of it."""
    if not isinstance(value, Known) or not isinstance(value.value, str) or is_text(name):
        return value
    made = scalar(value, value.origins[0] if value.origins else Origin("config", Place("", 0), name))
    return Known(made.value, value.origins) if isinstance(made, Known) else made


def _plain(name: str, values: list[Value], origin: Origin) -> Value:
    if not values:
        return Known(True, (origin,))
    if is_text(name) and len(values) == 1:
        word = values[0]
        return Known(word.value, (origin,)) if isinstance(word, Known) else Open("word", text_of_word(word), word.origins or (origin,))
    converted = [scalar(one, origin) for one in values]
    if any(not isinstance(one, Known) for one in converted[1:]) or (is_list(name) and not isinstance(converted[0], Known)):
        return made_of(*converted)
    return converted[0] if len(converted) == 1 and not is_list(name) else Items(converted, "list", None, (origin,))


def scalar(word: Value, origin: Origin) -> Value:
    """A word for a field whose type is in the package: a number or switch where it reads as one, else a text."""
    if not isinstance(word, Known):
        return Open("word", text_of_word(word), word.origins or (origin,))
    text, origins = str(word.value), (Origin("flag", word.origins[0].place if word.origins else origin.place, origin.key),)
    if text.lower() in {"true", "false"}:
        return Known(text.lower() == "true", origins)
    for kind in (int, float):
        try:
            return Known(kind(text), origins)
        except ValueError:
            continue
    return Known(None if text == "None" else text, origins)
