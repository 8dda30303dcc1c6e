"""What variables hold and what words expand to, without running anything.

Sources: POSIX.1-2017 Shell Command Language 2.6 (parameter expansion, field splitting), bash 5.2 manual 3.5 and 6.7 (arrays).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from budgetlint.documents.shell_arithmetic import computed
from budgetlint.documents.shell_folder import folder
from budgetlint.documents.shell_words import UNKNOWN_OPERATOR, Atom, Literal, Opaque, Part, RawWord, Variable, Word, word_of
from budgetlint.documents.shell_work import ShellWork, cost_of
from budgetlint.record import record, replace
from budgetlint.source import Span

_BLANKS = re.compile(r"\s+")
MAX_DEPTH = 12


@record
class Assignment:
    """``words`` is None where the value cannot be known (a loop's variable, ``read``)."""

    name: str
    words: tuple[RawWord, ...] | None
    conditional: bool = False
    appends: bool = False
    is_list: bool = False


_Lists = tuple[tuple[Atom, ...], ...]


class Expander:
    """Expands words with the variables of one script. ``given`` comes from outside and is weaker than what the script sets."""

    def __init__(self, assignments: Iterable[Assignment], given: Mapping[str, Word], work: ShellWork | None = None) -> None:
        self._by_name: dict[str, list[Assignment]] = {}
        for one in assignments:
            self._by_name.setdefault(one.name, []).append(one)
        self._given = given
        self._held: dict[str, _Lists | None] = {}
        self._open: list[str] = []
        self._taken: dict[str, Word | None] = {}
        self._costs: dict[tuple[str, bool], int] = {}
        self._texts: dict[str, str | None] = {}
        self._work = work if work is not None else ShellWork()

    def words(self, raw: RawWord) -> Iterator[Word]:
        """The arguments that one written word becomes: none, one, or several."""
        for atoms in self._fields(raw.parts):
            yield word_of(atoms, raw.span)

    def single(self, one: Assignment) -> Word:
        """The value of an assignment in front of a command."""
        raw = one.words[0] if one.words else RawWord((), Span(0, 0))
        return word_of(tuple(_unsplit(self._atoms(raw.parts, splits=False))), raw.span)

    def variable(self, name: str) -> Word | None:
        if name not in self._taken:
            self._taken[name] = self._variable(name)
        return self._taken[name]

    def _variable(self, name: str) -> Word | None:
        lists = self._value(name) if name in self._by_name or name in self._given else None
        if not lists or not self._affords(name, lists, lists[0][0].start if lists[0] else 0, apart=False):
            return None
        atoms = tuple(_unsplit(atom for part in lists for atom in part))
        return word_of(atoms, Span(atoms[0].start, atoms[0].start) if atoms else Span(0, 0))

    def _fields(self, parts: tuple[Part, ...]) -> Iterator[tuple[Atom, ...]]:
        whole = _whole_list(parts)
        if whole is None:
            yield from _split(self._atoms(parts, splits=True))
            return
        lists = self._value(whole.name[:-3])
        known = lists is not None and self._affords(whole.name[:-3], lists, whole.span.start, apart=False)
        yield from lists if lists is not None and known else (self._gap(whole),)

    def _atoms(self, parts: Iterable[Part], splits: bool) -> Iterator[Atom]:
        for part in parts:
            if isinstance(part, Literal):
                yield Atom(part.text, part.start)
            elif isinstance(part, Opaque):
                yield self._asked(part)
            else:
                yield from self._expanded(part, splits=splits and not part.quoted)

    def _asked(self, part: Opaque) -> Atom:
        """What a command would answer, where the text alone tells; else the command as it is written."""
        answer = computed(part.text, self._text) or folder(part.text)
        shown = f"$({part.text[1:-1]})" if part.text.startswith("`") else part.text
        return Atom(shown if answer is None else answer, part.span.start, known=False)

    def _text(self, name: str) -> str | None:
        """The text of a variable, as arithmetic takes it."""
        if name not in self._texts:
            lists = self._value(name) if name in self._by_name or name in self._given else None
            self._texts[name] = "".join(atom.text for atom in _joined(lists)) if lists else None
        return self._texts[name]

    def _expanded(self, part: Variable, splits: bool) -> Iterator[Atom]:
        name = part.name.removesuffix("[@]").removesuffix("[*]")
        named = name.isidentifier() or name.isdecimal()
        unset = named and (name in self._open or (name not in self._by_name and name not in self._given))
        if part.operator in ("", UNKNOWN_OPERATOR) or not unset:
            value = None if part.operator == UNKNOWN_OPERATOR or unset else self._value(name)
            if value is None or not self._affords(name, value, part.span.start, apart=splits):
                yield from self._gap(part)
            else:
                yield from (replace(atom, splits=splits and atom.known) for atom in _joined(value))
            return
        yield from (replace(atom, splits=splits and atom.known) for atom in self._atoms(part.default, splits=False))

    def _affords(self, name: str, lists: _Lists, at: int, *, apart: bool) -> bool:
        if (name, apart) not in self._costs:
            self._costs[name, apart] = cost_of(chain.from_iterable(lists), apart=apart)
        return self._work.expands(self._costs[name, apart], at)

    def _gap(self, part: Variable) -> tuple[Atom, ...]:
        if part.name == "PWD" and not part.operator:
            return (Atom(".", part.span.start, known=False),)
        return (Atom(f"${{{part.name or '...'}}}", part.span.start, known=False),)

    def _value(self, name: str) -> _Lists | None:
        """The value as a list of words (one for a plain variable); None where it is not known."""
        if name in self._held:
            return self._held[name]
        if name in self._open or len(self._open) >= MAX_DEPTH:
            return None
        self._open.append(name)
        found = self._assigned(self._by_name[name]) if name in self._by_name else self._outer(name)
        self._open.pop()
        self._held[name] = found
        return found

    def _outer(self, name: str) -> _Lists | None:
        word = self._given.get(name)
        return (word.atoms,) if word is not None else None

    def _assigned(self, written: list[Assignment]) -> _Lists | None:
        """One plain assignment and what is appended to it. A second one, or one in a branch, is not known, but for what only an
        argument of the script can change (``while ...; case $1 in -m) MODEL=$2``): started without, the first one stands."""
        every = [written[0], *(one for one in written[1:] if "1" in self._given or not _is_argument(one))]
        first, rest = every[0], every[1:]
        if first.conditional or first.words is None or any(not one.appends or one.words is None for one in rest):
            return None
        lists: list[tuple[Atom, ...]] = []
        for one in every:
            if one.conditional:
                break
            lists.extend(self._listed(one))
        sure = all(not one.conditional for one in every)
        end = rest[-1].words[0].span.start if rest and rest[-1].words else 0
        return tuple(lists) if sure else (*lists, (Atom("${...}", end, known=False),))

    def _listed(self, one: Assignment) -> Iterator[tuple[Atom, ...]]:
        for raw in one.words or ():
            if one.is_list:
                yield from self._fields(raw.parts)
            else:
                yield tuple(_unsplit(self._atoms(raw.parts, splits=False)))


def _is_argument(one: Assignment) -> bool:
    """Does a branch take the value from the script's own arguments?"""
    parts = one.words[0].parts if one.conditional and one.words and len(one.words) == 1 and not one.is_list else ()
    return bool(parts) and all(isinstance(part, Variable) and (part.name.isdecimal() or part.name == "OPTARG") for part in parts)


def _whole_list(parts: tuple[Part, ...]) -> Variable | None:
    """The variable of ``"${NAME[@]}"``, quoted or not, where nothing else is in the word."""
    written = [part for part in parts if not (isinstance(part, Literal) and not part.text)]
    only = written[0] if len(written) == 1 else None
    return only if isinstance(only, Variable) and only.name.endswith(("[@]", "[*]")) and not only.operator else None


def _joined(lists: _Lists) -> Iterator[Atom]:
    """A list as one text: its words with a blank between."""
    for index, atoms in enumerate(lists):
        if index and atoms:
            yield Atom(" ", atoms[0].start)
        yield from atoms


def _unsplit(atoms: Iterable[Atom]) -> Iterator[Atom]:
    return (replace(atom, splits=False) if atom.splits else atom for atom in atoms)


def _split(atoms: Iterator[Atom]) -> Iterator[tuple[Atom, ...]]:
    """Field splitting: blanks in what came out of an unquoted expansion end a word."""
    word: list[Atom] = []
    started = False
    for atom in atoms:
        if not atom.splits:
            started = True
            word.append(atom)
            continue
        at = 0
        for blank in (*_BLANKS.finditer(atom.text), None):
            piece = atom.text[at : blank.start() if blank else len(atom.text)]
            if piece:
                word.append(Atom(piece, atom.start + at, atom.known))
            if blank is not None:
                if word or started:
                    yield tuple(word)
                word, started, at = [], False, blank.end()
    if word or started:
        yield tuple(word)
