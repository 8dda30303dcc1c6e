"""Options and the words of a launch, as `argparse` reads them (CPython 3.11 to 3.14 ``argparse.py``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from budgetlint.program.operators import made_of
from budgetlint.program.state import NOWHERE, Call, Dead, Interpreter, Refusal
from budgetlint.program.truth import contains
from budgetlint.program.values import ABSENT, FALSE, NONE, TRUE, Items, Known, Opaque, Open, Origin, Place, Value

SUPPRESSED = Opaque("argparse.SUPPRESS")
"""A default of nothing: the name is not there unless it is given."""


_MOST_REFUSED = 20


class Option(NamedTuple):
    """One option of a parser. ``nargs`` is argparse's (an int, ``?``, ``*``, ``+``, empty for one); ``flags`` are empty for a positional."""

    dest: str
    flags: tuple[str, ...]
    default: Value
    place: Place
    action: str = "store"
    nargs: int | str = ""
    type: Value | None = None
    const: Value | None = None
    choices: Value | None = None
    required: bool = False

    @property
    def takes_none(self) -> bool:
        return self.action in {"store_true", "store_false", "store_const", "append_const", "count", "help", "version"}


class Parsed(NamedTuple):
    """``given`` by destination, ``left`` the words that no option takes. ``open``: a word that is not known may be any flag."""

    given: dict[str, Value]
    left: tuple[Value, ...]
    open: bool


def text_of_word(word: Value) -> str:
    """A word as it is written: ``--lr=${LR}`` of one that is not known."""
    return str(word.value) if isinstance(word, Known) else word.name if isinstance(word, Open) else ""


def read_words(it: Interpreter, options: Sequence[Option], words: Sequence[Value], *, booleans: frozenset[str] = frozenset()) -> Parsed:
    """What the options get of these words. ``booleans``: flags whose ``--no-`` form is an option too."""
    it.flags.update({option.dest: option.flags for option in options})
    reader = _Reader(it, options, words, booleans)
    reader.run()
    return Parsed(reader.given, tuple(reader.left), reader.open)


class _Reader:
    def __init__(self, it: Interpreter, options: Sequence[Option], words: Sequence[Value], booleans: frozenset[str]) -> None:
        self.it, self.words = it, words
        self.by_flag = {flag: option for option in options for flag in option.flags}
        self.off = {f"--no-{flag[2:]}": self.by_flag[flag] for flag in booleans if flag in self.by_flag}
        self.off |= {f"--no_{flag[2:]}": self.by_flag[flag] for flag in booleans if flag in self.by_flag}
        self.positionals = [option for option in options if not option.flags]
        self.given: dict[str, Value] = {}
        self.left: list[Value] = []
        self.open = False
        self.at = 0

    def run(self) -> None:
        loose: list[Value] = []
        while self.at < len(self.words):
            word = self.words[self.at]
            text = text_of_word(word)
            self.at += 1
            if isinstance(word, Open) and not text.startswith("-"):
                loose.append(word)
                self.open = self.open or not self.positionals
            elif text.startswith("-") and not _is_number(text) and text != "-":
                self._flag(word, text)
            else:
                loose.append(word)
        self._positional(loose)

    def _flag(self, word: Value, text: str) -> None:
        name, equals, value = text.partition("=")
        if name in self.off:
            self.given[self.off[name].dest] = Known(False, (flag_origin(word, name),))
            return
        option = self._option(name)
        if option is None:
            self.left.append(word)
            while not equals and self.at < len(self.words) and not text_of_word(self.words[self.at]).startswith("-"):
                self.left.append(self.words[self.at])
                self.at += 1
            return
        inline = [_after_equals(word, value)] if equals else None
        self._take(option, word, name, inline)

    def _option(self, name: str) -> Option | None:
        """The option of this name, or the only one that starts so."""
        found = self.by_flag.get(name)
        if found is not None or not name.startswith("--"):
            return found
        starting = {id(option): option for flag, option in self.by_flag.items() if flag.startswith(name)}
        return next(iter(starting.values())) if len(starting) == 1 else None

    def _take(self, option: Option, word: Value, name: str, inline: list[Value] | None) -> None:
        origin = flag_origin(word, name)
        if option.takes_none:
            self._switch(option, origin)
            return
        values = inline if inline is not None else self._values(option)
        self.given[option.dest] = value_of(self.it, option, values, origin, self.given.get(option.dest, ABSENT))

    def _switch(self, option: Option, origin: Origin) -> None:
        fixed = {"store_true": TRUE, "store_false": FALSE}.get(option.action)
        if fixed is not None:
            self.given[option.dest] = Known(fixed.value, (origin,))  # type: ignore[attr-defined]
        elif option.action in {"store_const", "append_const"} and option.const is not None:
            self.given[option.dest] = option.const if option.action == "store_const" else made_of(option.const)
        elif option.action == "count":
            before = self.given.get(option.dest, option.default)
            self.given[option.dest] = (
                Known((before.value or 0) + 1, (origin,))
                if isinstance(before, Known) and isinstance(before.value, int | None)
                else made_of(before)
            )

    def _values(self, option: Option) -> list[Value]:
        most = 1 if option.nargs in ("", "?") else option.nargs if isinstance(option.nargs, int) else len(self.words)
        found: list[Value] = []
        while len(found) < most and self.at < len(self.words):
            text = text_of_word(self.words[self.at])
            if text.startswith("-") and not _is_number(text) and text != "-":
                break
            found.append(self.words[self.at])
            self.at += 1
        return found

    def _positional(self, loose: list[Value]) -> None:
        """Words that belong to no flag, to the positionals in order; one with ``*`` or ``+`` takes what the later ones leave."""
        for number, option in enumerate(self.positionals):
            later = sum(1 for one in self.positionals[number + 1 :] if one.nargs == "" or isinstance(one.nargs, int))
            count = option.nargs if isinstance(option.nargs, int) else 1 if option.nargs in ("", "?") else max(0, len(loose) - later)
            taken, loose = loose[:count], loose[count:]
            if taken:
                self.given[option.dest] = value_of(self.it, option, taken, flag_origin(taken[0], option.dest), ABSENT)
        self.left += loose


def _is_number(text: str) -> bool:
    return text[1:2].isdigit() or text[1:2] == "."


def _after_equals(word: Value, value: str) -> Value:
    return Known(value, word.origins) if isinstance(word, Known) else Open("word", value, word.origins)


def flag_origin(word: Value, name: str) -> Origin:
    """Where a flag stands in its launch."""
    first = word.origins[0] if word.origins else None
    return Origin("flag", first.place if first is not None else Place("", 0), name)


def value_of(it: Interpreter, option: Option, values: Sequence[Value], origin: Origin, before: Value) -> Value:
    """The words of one option, converted as its type does."""
    if option.nargs == "?" and not values:
        return option.const if option.const is not None else NONE
    converted = [_converted(it, option, one, origin) for one in values]
    if option.nargs in ("", "?"):
        if not converted:
            return refuse(it, option, "expects an argument", origin)
        whole: Value = converted[0]
    else:
        whole = Items(converted, "list", None, (origin,))
    if option.action in {"append", "extend"}:
        earlier = before.items if isinstance(before, Items) else ()
        added = whole.items if option.action == "extend" and isinstance(whole, Items) else (whole,)
        return Items((*earlier, *added), "list", None, (origin,))
    return whole


def _converted(it: Interpreter, option: Option, word: Value, origin: Origin) -> Value:
    if not isinstance(word, Known):
        return Open("word", text_of_word(word), word.origins or (origin,))
    place = word.origins[0].place if word.origins else origin.place
    mine = Known(word.value, (Origin("flag", place, origin.key),))
    if option.type is None:
        made: Value = mine
    else:
        try:
            made = it.call(option.type, Call((mine,), {}, None, option.place.node or NOWHERE, it.outside))
        except Dead:
            return refuse(it, option, f"does not take {word.value!r}", origin)
    if option.choices is not None and contains(option.choices, made) is False:
        return refuse(it, option, f"does not take {word.value!r}", origin)
    return made


def refuse(it: Interpreter, option: Option, why: str, origin: Origin, kind: str = "value") -> Value:
    """The parser ends the program; what the option would have been is not known. Under a condition nobody knows whether it comes to that."""
    long = next((flag for flag in option.flags if flag.startswith("--")), (option.flags or (option.dest,))[0])
    it.refusals.append(Refusal(option.place, f"{long} {why}", (origin,), kind, sure=not it.conditions and not it.tries))
    return Open("flag", option.dest, (origin,))


def refuse_words(
    it: Interpreter, words: Iterable[Value], place: Place, options: Sequence[Option] = (), *, names: Iterable[str] = ()
) -> None:
    """Words that no option takes: one refusal for each long flag, one for all others. ``names``: flags that others take, of some release at least."""
    found = [word for word in words if isinstance(word, Known)]
    flags = [word for word in found if str(word.value).startswith("--")][:_MOST_REFUSED]
    others = tuple(names)
    known = tuple(flag for option in options for flag in option.flags) + others
    sure, kind = not it.conditions and not it.tries, "unfamiliar" if others else "unrecognized"
    for word in flags:
        flag = str(word.value).partition("=")[0]
        it.refusals.append(Refusal(place, f"unrecognized arguments: {flag}"[:200], word.origins[:1], kind, known, sure))
    if found and not flags:
        told = " ".join(str(word.value) for word in found)
        origins = tuple(origin for word in found for origin in word.origins)[:4]
        it.refusals.append(Refusal(place, f"unrecognized arguments: {told}"[:200], origins, "words", (), sure))


def defaults(it: Interpreter, options: Sequence[Option], parsed: Parsed, launched: bool) -> Iterator[tuple[str, Value]]:
    """What every option comes to: given, else its default; open where a launch must give it, or may give it by a word that is not known."""
    for option in options:
        if option.action in {"help", "version"} or (option.default is SUPPRESSED and option.dest not in parsed.given):
            continue
        if option.dest in parsed.given:
            yield option.dest, parsed.given[option.dest]
        elif parsed.open or (option.required and launched is False):
            yield option.dest, Open("flag", (option.flags or (option.dest,))[0], (Origin("option", option.place, option.dest),))
        elif option.required:
            yield option.dest, refuse(it, option, "is required", Origin("option", option.place, option.dest), "required")
        else:
            yield option.dest, option.default
