"""Options of parsers, and what their words and defaults come to, as `argparse` has it (CPython 3.11 to 3.14 ``argparse.py``
_get_values)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from budgetlint.program.calling import Call
from budgetlint.program.choices import choice
from budgetlint.program.ends import Dead, Exits
from budgetlint.program.noted import Refusal
from budgetlint.program.objects import Class, Object
from budgetlint.program.operators import made_of
from budgetlint.program.places import Origin, Place
from budgetlint.program.state import NOWHERE, Interpreter
from budgetlint.program.stops import note
from budgetlint.program.truth import contains
from budgetlint.program.values import ABSENT, NONE, Choice, Items, Known, Opaque, Open, Value, Way

SUPPRESSED = Opaque("argparse.SUPPRESS")
"""A default of nothing: the name is not there unless it is given."""
_MOST_REFUSED = 20
_LIKE_EXIT = frozenset({"SystemExit", "BaseException", ""})


class Option(NamedTuple):
    """One option of a parser. ``nargs`` is argparse's (an int, ``?``, ``*``, ``+``, ``...``, ``A...``, empty for one).

    ``flags`` are empty for a positional. ``default`` is as it was given: a text that nobody overrides is converted. ``own``: the
    program's own
    action. ``below``: the action of subcommands. ``exclusive``: the group of which one may be given.
    """

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
    own: Class | None = None
    below: Object | None = None
    exclusive: Object | None = None

    @property
    def takes_none(self) -> bool:
        return self.nargs == 0 or self.action in {
            "store_true", "store_false", "store_const", "append_const", "count", "help", "version", "boolean",
        }  # fmt: skip


class Acted(NamedTuple):
    """What the program's own action is called with."""

    option: Option
    value: Value
    flag: str


class Parsed(NamedTuple):
    """``given`` by destination, ``left`` the words that no option takes. ``open``: a word that is not known may be any flag.

    ``acted``: calls of own actions, in order. ``below``: the words from a subcommand on, None where there is none. ``seen``: the options of
    which there were words, in order.
    """

    given: dict[str, Value]
    left: tuple[Value, ...]
    open: bool
    acted: tuple[Acted, ...] = ()
    below: tuple[Value, ...] | None = None
    seen: tuple[Option, ...] = ()


def text_of_word(word: Value) -> str:
    """A word as it is written: ``--lr=${LR}`` of one that is not known."""
    return str(word.value) if isinstance(word, Known) else word.name if isinstance(word, Open) else ""


def after(word: Value, text: str) -> Value:
    """A part of a word."""
    return Known(text, word.origins) if isinstance(word, Known) else Open("word", text, word.origins)


def flag_origin(word: Value, name: str) -> Origin:
    """Where a flag stands in its launch."""
    first = word.origins[0] if word.origins else None
    return Origin("flag", first.place if first is not None else Place("", 0), name)


# values


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
        whole = _several(converted, values, origin)
    if option.action in {"append", "extend"}:
        return _added(option, whole, origin, before)
    return whole


def _several(converted: Sequence[Value], words: Sequence[Value], origin: Origin) -> Value:
    """A list; a word that is not known may be several."""
    at = next((at for at, word in enumerate(words) if not isinstance(word, Known)), None)
    return Items(converted, "list", None, (origin,)) if at is None else Items(converted[:at], "list", converted[at], (origin,))


def _added(option: Option, whole: Value, origin: Origin, before: Value) -> Value:
    """``append`` and ``extend`` add to what stood there before: the default, where it is a list."""
    if not isinstance(before, Items):
        before = (
            Items(())
            if before is ABSENT or before is SUPPRESSED or before == NONE or _is_none(before)
            else Items((), "list", made_of(before))
        )
    if before.more is not None:
        return before
    if option.action == "append" and not (isinstance(whole, Items) and whole.more is not None):
        return Items((*before.items, whole), "list", None, (origin,))
    added = whole if isinstance(whole, Items) else Items((), "list", made_of(whole))
    return Items((*before.items, *added.items), "list", added.more, (origin,))


def _is_none(value: Value) -> bool:
    return isinstance(value, Known) and value.value is None


def _converted(it: Interpreter, option: Option, word: Value, origin: Origin) -> Value:
    if not isinstance(word, Known):
        return Open("word", text_of_word(word), word.origins or (origin,))
    place = word.origins[0].place if word.origins else origin.place
    mine = Known(word.value, (Origin("flag", place, origin.key),))
    made = _typed(it, option, mine)
    if made is ABSENT or (option.choices is not None and contains(option.choices, made) is False):
        return refuse(it, option, f"does not take {word.value!r}", origin)
    return made


def _typed(it: Interpreter, option: Option, value: Known) -> Value:
    """A text as the option's type reads it; ABSENT where it does not."""
    if option.type is None or _is_none(option.type):
        return value
    if isinstance(option.type, Known | Items):
        return Opaque("a type that the parser registers", origins=value.origins)
    try:
        return it.call(option.type, Call((value,), {}, None, option.place.node or NOWHERE, it.outside))
    except Dead:
        return ABSENT


def default_of(it: Interpreter, option: Option) -> Value:
    """What an option is that nobody gives: a default that is a text is read as a word is, but for its choices."""
    default = option.default
    if option.nargs == "..." and not option.flags:
        return Items((), "list", None, default.origins)
    if option.nargs == "*" and not option.flags and _is_none(default):
        return Items((), "list", None, default.origins)
    if isinstance(default, Choice):
        return choice(Way(way.when, default_of(it, option._replace(default=way.value))) for way in default.ways)
    if option.type is None or not isinstance(default, Known) or not isinstance(default.value, str):
        return default
    made = _typed(it, option, default)
    if made is ABSENT:
        return refuse(
            it,
            option,
            f"does not take its default {default.value!r}",
            (default.origins or (Origin("option", option.place, option.dest),))[0],
        )
    return Known(made.value, default.origins) if isinstance(made, Known) else made


def defaults(it: Interpreter, options: Sequence[Option], parsed: Parsed, launched: bool) -> Iterator[tuple[str, Value]]:
    """What every option comes to: given, else its default; open where a launch must give it, or may give it by a word that is not known."""
    done: set[str] = set()
    for option in options:
        if option.dest in done or not option.dest or option.action in {"help", "version", "parsers"}:
            continue
        if option.dest in parsed.given:
            done.add(option.dest)
            yield option.dest, parsed.given[option.dest]
            continue
        origin = Origin("option", option.place, option.dest)
        if parsed.open or (option.required and not launched):
            done.add(option.dest)
            yield option.dest, Open("flag", (option.flags or (option.dest,))[0], (origin,))
        elif option.required:
            done.add(option.dest)
            yield option.dest, refuse(it, option, "is required", origin, "required")
        elif option.default is not SUPPRESSED:
            done.add(option.dest)
            yield option.dest, default_of(it, option)


# refusals


def refuse(it: Interpreter, option: Option, why: str, origin: Origin, kind: str = "value") -> Value:
    """The parser ends the program; what the option would have been is not known."""
    long = next((flag for flag in option.flags if flag.startswith("--")), (option.flags or (option.dest,))[0])
    refused(it, option.place, f"{long} {why}", (origin,), kind=kind)
    return Open("flag", option.dest, (origin,))


def refuse_words(
    it: Interpreter,
    words: Iterable[Value],
    place: Place,
    flags: Iterable[str] = (),
    *,
    names: Iterable[str] = (),
    error: str = "SystemExit",
) -> None:
    """Words that no option takes: one refusal for each long flag, one for all others. ``flags``: those that the parser has; ``names``:
    those that
    others take, of some release at least."""
    found = [word for word in words if isinstance(word, Known)]
    unknown = [word for word in found if str(word.value).startswith("--")][:_MOST_REFUSED]
    others = tuple(names)
    known, kind = (*flags, *others), "unfamiliar" if others else "unrecognized"
    for word in unknown:
        flag = str(word.value).partition("=")[0]
        refused(it, place, f"unrecognized arguments: {flag}", word.origins[:1], error, kind, known)
    if found and not unknown:
        told = " ".join(str(word.value) for word in found)
        refused(it, place, f"unrecognized arguments: {told}", tuple(origin for word in found for origin in word.origins)[:4], error)


def refused(
    it: Interpreter,
    place: Place,
    why: str,
    origins: tuple[Origin, ...],
    error: str = "SystemExit",
    kind: str = "words",
    names: tuple[str, ...] = (),
) -> None:
    """The program ends here; said and read on, the run that was meant. Caught by the program it is an error, behind a condition no refusal.

    ``error``: what is raised, by the name of its class; ``kind`` and ``names`` are those of a `Refusal`.
    """
    likely = _LIKE_EXIT if error == "SystemExit" else frozenset({error, "Exception", "BaseException", ""})
    if any(caught & likely for caught in it.tries):
        raise Exits if error == "SystemExit" else Dead(error)
    if not any(it.conditions):
        note(it, Refusal(place, why[:200], origins, kind, names, after=len(it.sinks)), asked=False)
