"""How click reads words, and what its types make of them (click 8.1 to 8.5 ``parser.py`` _OptionParser, ``types.py``, ``core.py``
Parameter)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from budgetlint.program.calling import Call
from budgetlint.program.choices import alternatives, choice, key_of
from budgetlint.program.ends import Dead, Exits
from budgetlint.program.objects import Object
from budgetlint.program.operators import made_of
from budgetlint.program.packages.parsers.annotations import number, truth_word, unknown
from budgetlint.program.packages.parsers.options import after, flag_origin, refuse_words, refused, text_of_word
from budgetlint.program.packages.variables import environ
from budgetlint.program.places import Origin, Place
from budgetlint.program.state import NOWHERE, Interpreter, text_of
from budgetlint.program.truth import truth
from budgetlint.program.values import ABSENT, FALSE, NONE, Choice, Items, Known, Open, Value, Way

Convert = Callable[[Interpreter, Known], Value | None]
"""A text as a type reads it; None where it refuses."""


class Param(NamedTuple):
    """An option or argument. ``flags`` are empty for an argument, ``off`` are those that say no; ``nargs`` is -1 for any number.

    ``default`` is ABSENT where there is none. ``kind``: ``value``, ``flag``, ``count``, ``constant``, ``unknown``, ``help``.
    ``variables``: those of the environment that it is read from; None where they are not known.
    """

    dest: str
    flags: tuple[str, ...]
    off: tuple[str, ...]
    default: Value
    place: Place
    kind: str
    convert: Convert
    nargs: int = 1
    multiple: bool = False
    required: bool = False
    variables: tuple[str, ...] | None = ()
    several: str = "tuple"
    constant: Value = NONE


class Words(NamedTuple):
    """``given``: what was given to each parameter, each time. ``left``: the words that no parameter takes. ``open``: a word may be any
    flag."""

    given: dict[str, list[list[Value]]]
    left: list[Value]
    open: bool


def read(it: Interpreter, params: Sequence[Param], words: Sequence[Value], place: Place, *, interspersed: bool = True) -> Words:
    """What the parameters get of these words; of a group the words end with the first that is no option."""
    it.flags.update({one.dest: one.flags for one in params if one.dest})
    reader = _Reader(it, params, words, place)
    loose = reader.options(interspersed=interspersed)
    return reader.arguments(loose) if interspersed else Words(reader.given, loose, reader.open)


class _Reader:
    def __init__(self, it: Interpreter, params: Sequence[Param], words: Sequence[Value], place: Place) -> None:
        self.it, self.params, self.words, self.place = it, params, list(words), place
        self.by_flag = {flag: (one, flag in one.off) for one in params for flag in (*one.flags, *one.off)}
        self.given: dict[str, list[list[Value]]] = {}
        self.open = False

    def options(self, *, interspersed: bool) -> list[Value]:
        loose: list[Value] = []
        while self.words:
            word = self.words.pop(0)
            text = text_of_word(word)
            if text == "--":
                return [*loose, *self.words]
            if text.startswith("-") and len(text) > 1:
                self._option(word, text)
            elif interspersed:
                loose.append(word)
            else:
                return [word, *self.words]
        return loose

    def _option(self, word: Value, text: str) -> None:
        name, equals, value = text.partition("=")
        if name in self.by_flag and not (equals and len(name) == 2):
            self._take(word, name, after(word, value) if equals else None)
        elif not text.startswith("--"):
            self._short(word, text)
        elif isinstance(word, Known):
            refuse_words(self.it, [word], self.place, self.by_flag)
        else:
            self.open = True

    def _short(self, word: Value, text: str) -> None:
        """``-xb4``: flags of one letter, the last with its value in the word."""
        for at, letter in enumerate(text[1:], 2):
            found = self.by_flag.get(f"-{letter}")
            if found is None:
                self.open = self.open or not isinstance(word, Known)
                if isinstance(word, Known):
                    refused(self.it, self.place, f"no such option: -{letter}", word.origins)
                return
            takes = found[0].kind in {"value", "unknown"}
            self._take(word, f"-{letter}", after(word, text[at:]) if takes and text[at:] else None)
            if takes:
                return

    def _take(self, word: Value, name: str, explicit: Value | None) -> None:
        param, off = self.by_flag[name]
        if param.kind == "help":
            raise Exits
        if param.kind not in {"value", "unknown"}:
            if explicit is not None:
                refused(self.it, param.place, f"{name} takes no value", word.origins)
            value = Known(not off, (flag_origin(word, name),)) if param.kind == "flag" else param.constant
            self.given.setdefault(param.dest, []).append([value])
            return
        values = [*([explicit] if explicit is not None else []), *self.words[: param.nargs - (explicit is not None)]]
        del self.words[: param.nargs - (explicit is not None)]
        if len(values) < param.nargs:
            refused(self.it, param.place, f"{name} requires an argument", word.origins)
            values = [Open("flag", name)]
        self.given.setdefault(param.dest, []).append([_at(one, name) for one in values])

    def arguments(self, loose: list[Value]) -> Words:
        """Words without a flag, to the arguments in order; one that takes any number gets what the others leave."""
        waiting = [one for one in self.params if not one.flags]
        if any(not isinstance(one, Known) for one in loose) and len(loose) != len(waiting):
            self.open = True
        for number_, param in enumerate(waiting):
            later = sum(max(one.nargs, 0) for one in waiting[number_ + 1 :])
            count = param.nargs if param.nargs >= 0 else max(0, len(loose) - later)
            taken, loose = loose[:count], loose[count:]
            if taken:
                self.given[param.dest] = [[_at(one, param.dest) for one in taken]]
        return Words(self.given, loose, self.open)


def _at(word: Value, name: str) -> Value:
    return Known(word.value, (flag_origin(word, name),)) if isinstance(word, Known) else word


# what a parameter comes to


def values(it: Interpreter, params: Sequence[Param], words: Words, *, launched: bool) -> dict[str, Value]:
    """Every parameter: given, else of the environment, else by default; open where a launch must give it."""
    found: dict[str, Value] = {}
    for param in params:
        if param.kind == "help":
            continue
        if param.dest in words.given:
            found[param.dest] = _given(it, param, words.given[param.dest])
        elif words.open or (param.required and not launched):
            found.setdefault(param.dest, Open("flag", (param.flags or (param.dest,))[0], (Origin("option", param.place, param.dest),)))
        else:
            found.setdefault(param.dest, _unsaid(it, param))
    return found


def _given(it: Interpreter, param: Param, times: list[list[Value]]) -> Value:
    if param.kind == "unknown":
        return made_of(*times[-1])
    if param.kind == "count":
        return Known(len(times), times[0][0].origins)
    if param.kind in {"flag", "constant"}:
        return times[-1][0]
    if param.nargs == 1 and not param.multiple:
        return _one(it, param, times[-1][0])
    if any(not isinstance(word, Known) for one in times for word in one):
        return Items((), param.several, made_of(*(word for one in times for word in one)))
    converted = [
        Items([_one(it, param, word) for word in one], param.several) if param.nargs != 1 else _one(it, param, one[0]) for one in times
    ]
    return Items(converted, param.several) if param.multiple else converted[-1]


def _one(it: Interpreter, param: Param, word: Value) -> Value:
    if not isinstance(word, Known):
        return Open("word", text_of_word(word), word.origins)
    made = param.convert(it, word)
    return made if made is not None else _refused(it, param, f"does not take {word.value!r}", word.origins)


def _refused(it: Interpreter, param: Param, why: str, origins: tuple[Origin, ...], kind: str = "value") -> Value:
    name = next((flag for flag in param.flags if flag.startswith("--")), (param.flags or (param.dest,))[0])
    refused(it, param.place, f"{name} {why}", origins, kind=kind)
    return Open("flag", name, origins)


def _unsaid(it: Interpreter, param: Param) -> Value:
    if param.variables is None:
        return Open("environment", "", (Origin("option", param.place, param.dest),))
    home = environ(it)
    for name in param.variables:
        found = home.items.get(name) if home is not None else None
        if found is not None and not (isinstance(found, Known) and found.value == ""):  # an empty one is as if it were not set
            return _of_variable(it, param, found)
    return _default(it, param)


def _of_variable(it: Interpreter, param: Param, value: Value) -> Value:
    if not isinstance(value, Known) or param.nargs != 1 or param.multiple or param.kind not in {"flag", "value"}:
        return made_of(value)
    made = truth_word(value) if param.kind == "flag" else param.convert(it, value) if value.value != "" else None
    return made if made is not None else made_of(value)


def _default(it: Interpreter, param: Param) -> Value:
    origin = Origin("option", param.place, param.dest)
    if param.default is ABSENT:
        if param.required:
            return _refused(it, param, "is required", (origin,), "required")
        plain = FALSE if param.kind == "flag" else Known(0) if param.kind == "count" else None
        if plain is not None:
            return Known(plain.value, (origin,))
        return Items((), "tuple", None, (origin,)) if param.multiple or param.nargs == -1 else Known(None, (origin,))
    if param.kind == "constant" and truth(param.default) is True and isinstance(param.default, Known) and param.default.value is True:
        return param.constant  # the flag that is on by default
    return choice(Way(way.when, _as_type(it, param, way.value, origin)) for way in alternatives(param.default))


def _as_type(it: Interpreter, param: Param, value: Value, origin: Origin) -> Value:
    """A default goes through the type too."""
    if isinstance(value, Items) and (param.multiple or param.nargs != 1):
        return Items(
            [_as_type(it, param._replace(multiple=False, nargs=1), one, origin) for one in value.items],
            param.several,
            value.more,
            (origin,),
        )
    if not isinstance(value, Known) or value.value is None:
        return value
    if param.kind == "value":
        made = param.convert(it, Known(str(value.value))) if not isinstance(value.value, bool) else value
        if isinstance(made, Known):
            return Known(made.value, (origin, *value.origins))
        return made if made is not None else made_of(value)
    return Known(value.value, (origin, *value.origins))


# types


def text(it: Interpreter, word: Known) -> Value | None:
    return word


def whole(it: Interpreter, word: Known) -> Value | None:
    return number(int, word)


def real(it: Interpreter, word: Known) -> Value | None:
    return number(float, word)


def yes_or_no(it: Interpreter, word: Known) -> Value | None:
    return truth_word(word)


def not_known(it: Interpreter, word: Known) -> Value | None:
    return unknown(word)


_PLAIN: dict[str, Convert] = {
    "int": whole, "float": real, "str": text, "bool": yes_or_no, "click.INT": whole, "click.FLOAT": real, "click.STRING": text,
    "click.BOOL": yes_or_no,
    "click.UNPROCESSED": text,
}  # fmt: skip


def by_type(kind: Value | None, default: Value) -> Convert:
    """What converts a word: the type that is given, else that of the default."""
    if kind is None or (isinstance(kind, Known) and kind.value is None):
        return _by_default(default)
    name = getattr(kind, "name", "")
    if name in _PLAIN:
        return _PLAIN[name]
    if isinstance(kind, Object):
        return _by_object(kind)
    return lambda it, word: _called(it, kind, word)


def _by_default(default: Value) -> Convert:
    first = default.items[0] if isinstance(default, Items) and default.items else default
    if isinstance(first, Choice):
        return not_known
    if isinstance(first, Known):
        return {int: whole, float: real, bool: yes_or_no}.get(type(first.value), text)
    return text if first is ABSENT or isinstance(first, Items) else not_known


def _by_object(kind: Object) -> Convert:
    if kind.kind in {"click.IntRange", "click.FloatRange"}:
        return lambda it, word: _ranged(kind, number(int if kind.kind == "click.IntRange" else float, word))
    if kind.kind == "click.Choice":
        return lambda it, word: _chosen(kind, word)
    if kind.kind == "click.Path":
        plain = kind.attributes.get("path_type", NONE)
        return text if isinstance(plain, Known) and plain.value is None else not_known
    return not_known


def _ranged(kind: Object, value: Value | None) -> Value | None:
    if not isinstance(value, Known):
        return value
    low, high = kind.attributes.get("min", NONE), kind.attributes.get("max", NONE)
    if (
        any(name in kind.attributes for name in ("min_open", "max_open", "clamp"))
        or not isinstance(low, Known)
        or not isinstance(high, Known)
    ):
        return unknown(value)
    under = low.value is not None and value.value < low.value  # type: ignore[operator]
    over = high.value is not None and value.value > high.value  # type: ignore[operator]
    return None if under or over else value


def _chosen(kind: Object, word: Known) -> Value | None:
    choices = kind.attributes.get("choices")
    cased = kind.attributes.get("case_sensitive")
    if not isinstance(choices, Items) or choices.more is not None or any(text_of(one) is None for one in choices.items):
        return unknown(word)
    if cased is not None and truth(cased) is not True:
        found = next((one for one in choices.items if str(key_of(one)).lower() == str(word.value).lower()), None)
        return Known(found.value, word.origins) if isinstance(found, Known) else None
    return word if any(text_of(one) == word.value for one in choices.items) else None


def _called(it: Interpreter, kind: Value, word: Known) -> Value | None:
    if isinstance(kind, Items | Known):
        return unknown(word)
    try:
        return it.call(kind, Call((word,), {}, None, NOWHERE, it.outside))
    except Dead:
        return None
