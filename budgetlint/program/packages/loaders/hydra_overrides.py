"""Words of a launch over a config that Hydra composed.

Source: hydra-core 1.1 to 1.3 ``_internal/config_loader_impl.py`` _apply_overrides_to_config.
"""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.program.choices import choice
from budgetlint.program.packages.loaders.hydra_words import elements_of
from budgetlint.program.packages.loaders.omegaconf import over
from budgetlint.program.packages.loaders.structured import MISSING
from budgetlint.program.packages.loaders.trees import do_not_merge, fitted
from budgetlint.program.packages.loaders.words import key_and_text, set_at
from budgetlint.program.packages.parsers.options import refused, text_of_word
from budgetlint.program.places import Origin, Place
from budgetlint.program.state import Interpreter
from budgetlint.program.values import Items, Known, Map, Opaque, Open, Value, Way

_OWN = ("hydra.", "hydra/")
"""Keys and groups of Hydra's own settings."""


def with_words(it: Interpreter, made: Map, words: Sequence[Value], place: Place, *, sweeps: bool = False) -> Map:
    """Words over the tree: one without ``+`` changes what is there."""
    for word in words:
        text = text_of_word(word)
        if isinstance(word, Open) and "=" not in text:
            made.rest = Open("word", word.name, word.origins)
        elif text.lstrip("+~").startswith(_OWN):
            continue
        elif text.startswith("~"):
            _take_away(it, made, word, place)
        else:
            _lay_word(it, made, word, place, sweeps=sweeps)
    return made


def _take_away(it: Interpreter, made: Map, word: Value, place: Place) -> None:
    """``~key``, or ``~key=value`` where that is its value."""
    dotted, equals, written = text_of_word(word)[1:].partition("=")
    *parts, last = dotted.split(".")
    home = _home(made, parts)
    if isinstance(home, Items):
        made.rest = Opaque("an item that is taken away")
        return
    if home is None or last not in home.items or (isinstance(one := home.items[last], Known) and one.value is None):
        if made.rest is None and (home is None or home.rest is None):
            refused(it, place, f"{dotted} is not there to be taken away", word.origins, "ConfigCompositionException")
        return
    older = home.items.pop(last)
    read = elements_of(written, word.origins) if equals and isinstance(word, Known) else None
    if read and isinstance(read[0], Known) and isinstance(older, Known) and read[0].value not in (None, older.value):
        refused(it, place, f"{dotted} is {older.value!r}", word.origins, "ConfigCompositionException", "value")


def _home(made: Map, parts: Sequence[str]) -> Map | Items | None:
    at: Value | None = made
    for part in parts:
        at = at.items.get(part) if isinstance(at, Map) else None
    return at if isinstance(at, Map | Items) else None


def _lay_word(it: Interpreter, made: Map, word: Value, place: Place, *, sweeps: bool) -> None:
    found = key_and_text(word)
    value = _value(it, *found[1:], known=isinstance(word, Known), sweeps=sweeps) if found is not None else None
    if found is None or value is None:
        if isinstance(word, Known):
            refused(it, place, f"{word.value!s} is no override", word.origins, "SystemExit")
        return
    key = found[0]
    dotted = key.lstrip("+")
    *parts, last = dotted.split(".")
    home = _home(made, parts)
    if isinstance(home, Items):
        _lay_item(it, made, parts, home, last, value, place, word)
        return
    there = home is not None and last in home.items
    if home is not None and there and key.startswith("+") and not key.startswith("++") and _is_taken(home.items[last], value):
        refused(it, place, f"{dotted} is in the config: ++ or no + changes it", word.origins, "ConfigCompositionException")
    if not there and not key.startswith("+") and _is_told(made, parts):
        refused(it, place, f"{dotted} is not in the config: + adds it", word.origins, "ConfigCompositionException")
    if home is None:
        set_at(made, dotted, value)
        return
    older = home.items.get(last)
    if older is not None and do_not_merge(older, value):
        kind = "list" if isinstance(value, Items) else "mapping"
        refused(it, place, f"{dotted} is no {kind}", word.origins, "ConfigCompositionException")
        return
    home.items[last] = (
        over(it, older, value, place) if isinstance(older, Map) and isinstance(value, Map) else fitted(it, home, last, value, place)
    )


def _is_taken(older: Value, value: Value) -> bool:
    """Whether something stands where a ``+`` would add a plain value; what a reference comes to may be None."""
    if not isinstance(value, Known) or not isinstance(older, Map | Items | Known):
        return False
    return not isinstance(older, Known) or not (older.value is None or older.value == MISSING or "${" in str(older.value))


def _lay_item(it: Interpreter, made: Map, parts: Sequence[str], home: Items, last: str, value: Value, place: Place, word: Value) -> None:
    """One item of a list, by its number."""
    at = int(last) if last.isdecimal() and len(last) < 6 else len(home.items)
    if at >= len(home.items):
        if home.more is None:
            refused(it, place, f"{'.'.join(parts)} has no item {last}", word.origins, "ConfigCompositionException")
        return
    above = _home(made, parts[:-1])
    items = [value if number == at else one for number, one in enumerate(home.items)]
    if isinstance(above, Map):
        above.items[parts[-1]] = fitted(it, above, parts[-1], Items(items, home.kind, home.more, home.origins), place)


def _is_told(made: Map, parts: Sequence[str]) -> bool:
    """Whether all keys on the way are known."""
    at: Value | None = made
    for part in (*parts, ""):
        if not isinstance(at, Map) or at.rest is not None:
            return at is None or isinstance(at, Known)
        at = at.items.get(part)
    return True


def _value(it: Interpreter, text: str, origins: tuple[Origin, ...], *, known: bool, sweeps: bool) -> Value | None:
    """The value of a word: of several, which only a multirun takes, one of them. None where Hydra refuses it.

    ``sweeps``: the config has settings of Hydra's own, which may make it a multirun.
    """
    if not known:
        return Open("word", text, origins)
    found = elements_of(text, origins)
    if found is None or len(found) == 1:
        return found[0] if found is not None else None
    words = {text_of_word(word) for word in it.launched.words or ()}
    if {"-m", "--multirun"} & words:
        return choice(Way("", one) for one in found)
    return Opaque("one of several", origins=origins) if sweeps or any(word.lstrip("+").startswith("hydra") for word in words) else None
