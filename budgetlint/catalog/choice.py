"""A key with a closed set of values: which values a framework takes, from which release on, and what happens with another one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from budgetlint.base.record import open_record
from budgetlint.catalog.vocabulary import distance


@open_record
class ChoiceValue:
    """``since`` is the first release of the choice's package that knows it, ``until`` the first after it that does not; empty where every
    release read does."""

    name: str
    since: str = ""
    until: str = ""


@open_record
class Choice:
    """``words`` are the values, each ``name``, ``name>=RELEASE`` or ``name<RELEASE`` (both: ``name>=FIRST<GONE``).

    ``folds``: the framework changes the case itself. ``is_open``: it takes more than it lists (plugins, torch's own names), so
    only a value near a listed one is told. ``cost`` is what the framework does with an unknown value, ``told`` what it is.
    ``is_final``: no release will add a value, so a short word with one other letter is a slip too. ``grows_with``: the first release
    that was not read, where each adds some: a value that is not known is told of those before it.
    """

    path: str
    package: str
    words: str
    cost: str
    source: str
    folds: bool = False
    is_open: bool = False
    is_final: bool = False
    told: str = ""
    grows_with: str = ""

    @cached_property
    def first(self) -> str:
        """The key of the path that stands at the top."""
        return self.path.partition(".")[0]

    @cached_property
    def values(self) -> Mapping[str, ChoiceValue]:
        return {value.name: value for value in map(_value, self.words.split())}

    def find(self, text: str) -> ChoiceValue | None:
        if not self.folds:
            return self.values.get(text)
        return next((value for name, value in self.values.items() if name.lower() == text.lower()), None)

    def meant(self, text: str) -> tuple[str, ...]:
        """The values that ``text`` most likely means: other case, the fewest typing errors, or an ending left out."""
        same = tuple(name for name in self.values if name.lower() == text.lower())
        return (
            same
            or _nearest(text, self.values, self.is_final)
            or tuple(name for name in self.values if name.lower().startswith(f"{text.lower()}_"))
        )


def _value(word: str) -> ChoiceValue:
    name, _, until = word.partition("<")
    name, _, since = name.partition(">=")
    return ChoiceValue(name, since, until)


def _nearest(text: str, names: Iterable[str], is_final: bool) -> tuple[str, ...]:
    found: dict[int, list[str]] = {}
    for name in names:
        errors = _slips(text.lower(), name.lower(), is_final)
        if errors:
            found.setdefault(errors, []).append(name)
    return tuple(found[min(found)]) if found else ()


def _slips(text: str, name: str, is_final: bool) -> int:
    """How many letters are wrong, 1 or 2; 0 for a name of its own.

    A value that differs in its numbers only may come with the next release (``flash_attention_5``), and so may a short one with
    another letter (``gspo``), unless the set is final: short ones are slips of the same letters.
    """
    letters = (_letters(text), _letters(name))
    short = len(text) < (3 if is_final else 5)
    if letters[0] == letters[1] or (short and set(text) != set(name)):
        return 0
    most = 1 if max(len(text), len(name)) < 7 else 2
    errors = distance(text, name, most)
    return errors if errors <= most else 0


def _letters(text: str) -> str:
    return "".join(char for char in text if char not in "0123456789")
