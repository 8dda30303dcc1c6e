"""How `argparse` reads the words of a launch (CPython 3.11 to 3.14 ``argparse.py`` _parse_known_args, _parse_optional,
_match_arguments_partial)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from budgetlint.program.ends import Exits
from budgetlint.program.operators import made_of
from budgetlint.program.packages.parsers.options import (
    SUPPRESSED,
    Acted,
    Option,
    Parsed,
    after,
    default_of,
    flag_origin,
    refuse,
    refused,
    text_of_word,
    value_of,
)
from budgetlint.program.places import Origin
from budgetlint.program.state import Interpreter
from budgetlint.program.values import ABSENT, NONE, Items, Known, Open, Value

_MOST_POSITIONALS = 12
"""More than these are not matched: the ways to share words among them grow fast."""
_MOST_WORDS = 2_000
_NAMED = re.compile(r"--[A-Za-z][\w.-]*=")
"""``--output_dir=out-${X}`` is that flag, whatever its value."""
_NUMBER = re.compile(r"^-\d+$|^-\d*\.\d+$")
_PERHAPS_NUMBER = re.compile(r"^-\.?\d")
"""``-1e-3``: a flag for CPython before 3.14, a number since; tyro 1.0 reads it as one too."""
_PATTERNS = {"": "(-*A-*)", "?": "(-*A?-*)", "*": "(-*[A-]*)", "+": "(-*A[A-]*)", "...": "([-AO]*)", "A...": "(-*A[-AO]*)"}


class Manners(NamedTuple):
    """How a parser reads. ``file``: the characters with which a word names a file of words."""

    prefixes: str = "-"
    abbreviates: bool = True
    file: str = ""


class _Flag(NamedTuple):
    """A word that is a flag: of which option, as which name, with which value in the same word."""

    option: Option | None
    name: str
    explicit: Value | None = None


def read_words(it: Interpreter, options: Sequence[Option], words: Sequence[Value], manners: Manners = Manners()) -> Parsed:
    """What the options get of these words."""
    it.flags.update({option.dest: option.flags for option in options if option.dest})
    if len(words) > _MOST_WORDS or sum(not option.flags for option in options) > _MOST_POSITIONALS:
        return Parsed({}, tuple(words), True)
    reader = _Reader(it, options, words, manners)
    reader.run()
    return Parsed(reader.given, tuple(reader.left), reader.open, tuple(reader.acted), reader.below, tuple(reader.seen))


class _Reader:
    def __init__(self, it: Interpreter, options: Sequence[Option], words: Sequence[Value], manners: Manners) -> None:
        self.it, self.words, self.manners = it, list(words), manners
        self.by_flag = {flag: option for option in options for flag in option.flags}
        self.numbers = any(_NUMBER.match(flag) for flag in self.by_flag)
        self.positionals = [option for option in options if not option.flags]
        self.given: dict[str, Value] = {}
        self.left: list[Value] = []
        self.acted: list[Acted] = []
        self.seen: list[Option] = []
        self.below: tuple[Value, ...] | None = None
        self.open = False
        self.flags: dict[int, _Flag] = {}
        self.pattern = self._classified()

    # what each word is

    def _classified(self) -> str:
        """``A`` for an argument, ``O`` for a flag, ``-`` for the first ``--``, after which all are arguments."""
        pattern = ""
        for at, word in enumerate(self.words):
            text = text_of_word(word)
            if text and text[0] in self.manners.file:
                self.open = True
            if text == "--" and "-" not in pattern:
                pattern += "-"
                continue
            flag = self._flag(word, text) if "-" not in pattern else None
            if flag is not None and flag.option is None and _PERHAPS_NUMBER.match(text) and not self.numbers:
                self.words[at], flag = Open("word", text, word.origins), None
            if flag is not None:
                self.flags[at] = flag
            pattern += "A" if flag is None else "O"
        return pattern

    def _flag(self, word: Value, text: str) -> _Flag | None:
        if not text or text[0] not in self.manners.prefixes:
            return None
        if text in self.by_flag:
            return _Flag(self.by_flag[text], text)
        if len(text) == 1:
            return None
        name, equals, value = text.partition("=")
        if equals and name in self.by_flag:
            return _Flag(self.by_flag[name], name, after(word, value))
        found = self._abbreviated(word, text)
        if len({id(one.option) for one in found}) > 1:
            self._ambiguous(word, found)
        if found:
            return found[0]
        if (_NUMBER.match(text) and not self.numbers) or " " in text:
            return None
        return _Flag(None, text)

    def _ambiguous(self, word: Value, found: Sequence[_Flag]) -> None:
        option = found[0].option
        if option is not None:
            refused(self.it, option.place, f"{text_of_word(word)} could be {', '.join(one.name for one in found)}", word.origins)

    def _abbreviated(self, word: Value, text: str) -> list[_Flag]:
        """Flags that start as this word does; of one dash also those with their value in the word."""
        name, equals, value = text.partition("=")
        explicit = after(word, value) if equals else None
        if text[1] in self.manners.prefixes:
            return (
                [_Flag(option, flag, explicit) for flag, option in self.by_flag.items() if flag.startswith(name)]
                if self.manners.abbreviates
                else []
            )
        found = []
        for flag, option in self.by_flag.items():
            if flag == text[:2]:
                found.append(_Flag(option, flag, after(word, text[2:])))
            elif flag.startswith(name):
                found.append(_Flag(option, flag, explicit))
        return found

    # the words in order

    def run(self) -> None:
        at, last = 0, max(self.flags, default=-1)
        while at <= last:
            stop = next(one for one in range(at, last + 1) if one in self.flags)
            if at != stop:
                end = self._positional(at)
                if end > at:
                    at = end
                    continue
            if at not in self.flags:
                self._leave(self.words[at:stop])
                at = stop
            at = self._optional(at)
        self._leave(self.words[self._positional(at) :])

    def _leave(self, words: Sequence[Value]) -> None:
        """Words that no option takes. One that is not known is the value of the flag before it, else it may be any flag."""
        for word in words:
            before = text_of_word(self.left[-1]) if self.left else ""
            text = text_of_word(word)
            any_flag = not before.startswith("-") or "=" in before or text.startswith("-")
            if not isinstance(word, Known) and any_flag and not _NAMED.match(text):
                self.open = True
            self.left.append(word)

    def _positional(self, at: int) -> int:
        """The positionals that the words from here on fill, as many as can be."""
        for count in range(len(self.positionals), 0, -1):
            found = re.match("".join(map(_pattern, self.positionals[:count])), self.pattern[at:])
            if found is not None:
                break
        else:
            return at
        taken, self.positionals = self.positionals[:count], self.positionals[count:]
        for option, part in zip(taken, found.groups(), strict=True):
            self._fill(option, self.words[at : at + len(part)], part)
            at += len(part)
        return at

    def _fill(self, option: Option, words: list[Value], pattern: str) -> None:
        if option.nargs not in ("...", "A...") and "-" in pattern:
            del words[pattern.index("-")]
        if option.action == "parsers":
            self.below = tuple(words)
        elif words:
            self._store(option, words, flag_origin(words[0], option.dest), option.dest)

    def _optional(self, at: int) -> int:
        flag = self.flags[at]
        if flag.option is None:
            self._leave([self.words[at]])
            return at + 1
        option, name, explicit = flag
        while explicit is not None and option is not None and option.takes_none:
            option, name, explicit = self._joined(option, name, explicit, at)
            if option is None:
                return at + 1
        assert option is not None
        origin = flag_origin(self.words[at], name)
        if explicit is not None:
            self._explicit(option, explicit, origin, name)
            return at + 1
        return self._with_words(option, at + 1, origin, name)

    def _joined(self, option: Option, name: str, explicit: Value, at: int) -> tuple[Option | None, str, Value | None]:
        """``-vx``: a flag without a value, and the next one in the same word."""
        text, origin = text_of_word(explicit), flag_origin(self.words[at], name)
        following = f"{name[0]}{text[:1]}"
        if name[1:2] in self.manners.prefixes or following not in self.by_flag or not text:
            refuse(self.it, option, f"takes no value: {text}", origin)
            return None, name, None
        self._store(option, [], origin, name)
        return self.by_flag[following], following, after(explicit, text[1:]) if text[1:] else None

    def _explicit(self, option: Option, value: Value, origin: Origin, name: str) -> None:
        if isinstance(option.nargs, int) and option.nargs != 1:
            self.given[option.dest] = refuse(self.it, option, f"takes {option.nargs} values", origin)
        else:
            self._store(option, [value], origin, name)

    def _with_words(self, option: Option, at: int, origin: Origin, name: str) -> int:
        pattern = _pattern(option).replace("-*", "").replace("-", "")
        found = re.match(pattern if not option.takes_none else "()", self.pattern[at:])
        if found is None:
            self.given[option.dest] = refuse(self.it, option, "expects an argument", origin)
            return at
        end = at + len(found[1])
        self._store(option, self.words[at:end], origin, name)
        return end

    # what an option does

    def _store(self, option: Option, words: Sequence[Value], origin: Origin, name: str) -> None:
        self._exclude(option, origin)
        self.seen.append(option)
        if option.own is not None:
            plain = option._replace(action="store")
            value = Items((), "list") if option.nargs == 0 else value_of(self.it, plain, words, origin, ABSENT)
            self.acted.append(Acted(option, value, name))
        elif option.takes_none:
            self._switch(option, origin, name)
        elif option.action == "unknown":
            self.given[option.dest] = made_of(Open("flag", name, (origin,)))
        elif option.dest:
            self.given[option.dest] = value_of(self.it, option, words, origin, self._before(option))

    def _exclude(self, option: Option, origin: Origin) -> None:
        other = next(
            (one for one in self.seen if one.exclusive is not None and one.exclusive is option.exclusive and one.dest != option.dest), None
        )
        if other is not None:
            refuse(self.it, option, f"is not allowed with {(other.flags or (other.dest,))[0]}", origin)

    def _before(self, option: Option) -> Value:
        if option.dest in self.given:
            return self.given[option.dest]
        return (
            ABSENT
            if option.default is SUPPRESSED or option.action not in {"append", "extend", "append_const", "count"}
            else default_of(self.it, option)
        )

    def _switch(self, option: Option, origin: Origin, name: str) -> None:
        if option.action == "boolean":
            self.given[option.dest] = Known(not name.startswith("--no-"), (origin,))
        elif option.action in {"store_true", "store_false"}:
            self.given[option.dest] = Known(option.action == "store_true", (origin,))
        elif option.action == "count":
            self.given[option.dest] = _counted(self._before(option), origin)
        elif option.action in {"help", "version"}:
            raise Exits
        else:
            self.given[option.dest] = _constant(option, option.const if option.const is not None else NONE, origin, self._before(option))


def _constant(option: Option, const: Value, origin: Origin, before: Value) -> Value:
    if option.action == "store_const":
        return Known(const.value, (origin, *const.origins)) if isinstance(const, Known) else const
    if option.action != "append_const":
        return made_of(const)
    if isinstance(before, Items) and before.more is None:
        return Items((*before.items, const), "list", None, (origin,))
    return (
        Items((const,), "list", None, (origin,))
        if before is ABSENT or (isinstance(before, Known) and before.value is None)
        else made_of(before)
    )


def _counted(before: Value, origin: Origin) -> Value:
    if before is ABSENT:
        return Known(1, (origin,))
    known = isinstance(before, Known) and (before.value is None or isinstance(before.value, int))
    return Known((before.value or 0) + 1, (origin,)) if known else made_of(before)  # type: ignore[attr-defined]


def _pattern(option: Option) -> str:
    if isinstance(option.nargs, int):
        return f"(-*{'-*'.join('A' * option.nargs)}-*)" if option.nargs < 100 else "(?!)"
    return _PATTERNS.get(option.nargs, _PATTERNS["*"])
