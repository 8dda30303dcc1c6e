"""What variables hold and what words expand to, without running anything.

Sources: POSIX.1-2017 Shell Command Language 2.6 (parameter expansion, field splitting), bash 5.2 manual 3.5 and 6.7 (arrays).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from budgetlint.base.expression import expression
from budgetlint.base.record import record, replace
from budgetlint.base.source import Span
from budgetlint.documents.shell_arithmetic import computed
from budgetlint.documents.shell_around import Around
from budgetlint.documents.shell_braces import makes_several
from budgetlint.documents.shell_folder import folder
from budgetlint.documents.shell_parameters import changed
from budgetlint.documents.shell_paths import counted, is_comment, path
from budgetlint.documents.shell_words import UNKNOWN_OPERATOR, Atom, Literal, Opaque, Part, RawWord, Variable, Word, word_of
from budgetlint.documents.shell_work import ShellWork, cost_of

_BLANKS = expression(r"\s+")
_PARTED = expression(r"[\s*?\[]")
"""What parts an unquoted answer into words, or stands for names of files."""
_AT = expression(r"\[([0-9]{1,3})\]")
MAX_DEPTH = 12


@record
class Assignment:
    """``words`` is None where the value cannot be known (a loop's variable, ``read``)."""

    name: str
    words: tuple[RawWord, ...] | None
    conditional: bool = False
    appends: bool = False
    is_list: bool = False
    at: int = 0
    """Where it stands: what is written in front of it does not have the value yet."""


_Lists = tuple[tuple[Atom, ...], ...]


class Expander:
    """Expands words with the variables of one script. ``given`` comes from outside and is weaker than what the script sets."""

    def __init__(
        self, assignments: Iterable[Assignment], given: Mapping[str, Word], work: ShellWork | None = None, around: Around | None = None
    ) -> None:
        self._by_name: dict[str, list[Assignment]] = {}
        self._grows: dict[str, int] = {}
        """Where a variable is given a longer value of itself for the last time."""
        for one in assignments:
            self._by_name.setdefault(one.name, []).append(one)
            if _own(one) is not None:
                self._grows[one.name] = one.at
        self._given = given
        self._outside = around
        self._held: dict[str, _Lists | None] = {}
        self._open: list[str] = []
        self._taken: dict[str, Word | None] = {}
        self._costs: dict[tuple[str, bool], int] = {}
        self._texts: dict[str, str | None] = {}
        self._work = work if work is not None else ShellWork()
        self._until: int | None = None
        self._standing: list[int] = []
        """Where the assignments stand that are being expanded."""

    def words(self, raw: RawWord, until: int | None = None) -> Iterator[Word]:
        """The arguments that one written word becomes: none, one, or several. Assignments behind ``until`` are still to come."""
        self._until = until
        several = makes_several(raw.parts)
        for atoms in ((Atom("${...}", raw.span.start, known=False),),) if several else self._fields(raw.parts):
            yield word_of(atoms, raw.span)
        self._until = None

    def unsaid(self, raw: RawWord) -> Word | None:
        """A word that is one variable, which an argument of the script may set, as the variable that it is; None for other words."""
        written = [part for part in raw.parts if not (isinstance(part, Literal) and not part.text)]  # quotes leave an empty text
        one = written[0] if len(written) == 1 else None
        if not isinstance(one, Variable) or one.operator:
            return None
        if one.name not in self._by_name and self._outside is not None:
            return self._outside.expander.unsaid(raw)
        return word_of(self._gap(one), raw.span) if any(map(_is_argument, self._by_name.get(one.name, [])[1:])) else None

    def single(self, one: Assignment) -> Word:
        """The value of an assignment in front of a command."""
        raw = one.words[0] if one.words else RawWord((), Span(0, 0))
        return word_of(tuple(_unsplit(self._atoms(raw.parts, splits=False))), raw.span)

    def text(self, raw: RawWord, until: int) -> Word:
        """A word that is not parted, as it is before what stands behind ``until``."""
        self._until = until
        found = word_of(tuple(_unsplit(self._atoms(raw.parts, splits=False))), raw.span)
        self._until = None
        return found

    def assigns(self, name: str) -> bool:
        """Does the script give it a value at all, known or not?"""
        return name in self._by_name

    def variable(self, name: str) -> Word | None:
        if name not in self._taken:
            self._taken[name] = self._variable(name)
        return self._taken[name]

    def _variable(self, name: str) -> Word | None:
        lists = self._value(name) if self._is_there(name) else None
        if not lists or not self._affords(name, lists, lists[0][0].start if lists[0] else 0, apart=False):
            return None
        atoms = tuple(_unsplit(atom for part in lists for atom in part))
        return word_of(atoms, Span(atoms[0].start, atoms[0].start) if atoms else Span(0, 0))

    def _fields(self, parts: tuple[Part, ...]) -> Iterator[tuple[Atom, ...]]:
        whole = _whole_list(parts)
        if whole is None:
            yield from _split(self._atoms(parts, splits=True))
            return
        name, apart = whole.name.removesuffix("[@]").removesuffix("[*]"), not whole.quoted
        lists = self._value(name) if not self._is_to_come(name) and not self._changes_after(name) else None
        if lists is None or not self._affords(name, lists, whole.span.start, apart=apart) or (apart and "IFS" in self._by_name):
            yield self._gap(whole)
        elif not whole.quoted:
            yield from chain.from_iterable(_split(replace(atom, splits=atom.known) for atom in atoms) for atoms in lists)
        elif whole.name.endswith("[@]") or whole.name.startswith("@"):
            yield from lists
        else:
            yield tuple(_joined(lists))

    def _atoms(self, parts: Iterable[Part], splits: bool) -> Iterator[Atom]:
        for part in parts:
            if isinstance(part, Literal):
                yield Atom(part.text, part.start)
            elif isinstance(part, Opaque):
                if not is_comment(part.text):
                    yield self._asked(part, splits=splits and not part.quoted)
            else:
                yield from self._expanded(part, splits=splits and not part.quoted)

    def _asked(self, part: Opaque, *, splits: bool) -> Atom:
        """What a command would answer, where the text alone tells; else the command as it is written."""
        answer = computed(part.text, self._text) or counted(part.text, self._told) or path(part.text, self._plain)
        if answer is not None and self._is_one(answer, splits=splits):
            return Atom(answer, part.span.start, known=False, told=True)
        shown = f"$({part.text[1:-1]})" if part.text.startswith("`") else part.text
        return Atom(folder(part.text) or shown, part.span.start, known=False)

    def _is_one(self, answer: str, *, splits: bool) -> bool:
        """Does an answer of the shell stay one word?"""
        return not splits or ("IFS" not in self._by_name and bool(answer) and not _PARTED.search(answer))

    def _plain(self, raw: RawWord) -> str | None:
        """A word inside of a substitution, as one text; None where it is not known."""
        atoms = tuple(self._atoms(raw.parts, splits=False))
        return "".join(atom.text for atom in atoms) if all(atom.known or atom.told for atom in atoms) else None

    def _told(self, name: str) -> str | None:
        """The text of a variable that is known."""
        name = "0" if name == "BASH_SOURCE" and name not in self._by_name else name
        lists = (
            None
            if not self._is_there(name) or self._is_to_come(name) or self._changes_after(name) or name in self._open
            else self._value(name)
        )
        if lists is None or len(lists) != 1 or not all(atom.known or atom.told for atom in lists[0]):
            return None
        return "".join(atom.text for atom in lists[0])

    def _worked_out(self, part: Variable, *, splits: bool) -> Atom | None:
        """``${X%/*}``, ``${LIST[0]}``, ``${#LIST[@]}``"""
        rest, text = part.rest, None
        if rest == "#" or _AT.match(rest):
            lists = self._value(part.name) if self._is_list(part.name) and not self._changes_after(part.name) else None
            if lists is not None and not all(atom.known or atom.told for atoms in lists for atom in atoms):
                lists = None
            if rest == "#":
                text = str(len(lists)) if lists is not None else None
                rest = ""
            elif found := _AT.match(rest):
                at, rest = int(found[1]), rest[found.end() :]
                words = lists if lists is not None or at else None
                text = "".join(atom.text for atom in words[at]) if words is not None and at < len(words) else None
                text = self._told(part.name) if text is None and at == 0 and not self._is_list(part.name) else text
        elif part.name in ("0", "BASH_SOURCE") or part.name.isidentifier() or part.name.isdecimal():
            text = self._told(part.name)
        answer = text if text is None or not rest else changed(text, rest)
        is_one = answer is not None and self._is_one(answer, splits=splits)
        return Atom(answer, part.span.start, known=False, told=True) if answer is not None and is_one else None

    def _text(self, name: str) -> str | None:
        """The text of a variable, as arithmetic takes it."""
        if name not in self._texts:
            lists = self._value(name) if self._is_there(name) else None
            self._texts[name] = "".join(atom.text for atom in _joined(lists)) if lists else None
        return self._texts[name]

    def _expanded(self, part: Variable, splits: bool) -> Iterator[Atom]:
        if part.operator == UNKNOWN_OPERATOR and part.rest and (made := self._worked_out(part, splits=splits)) is not None:
            yield made
            return
        name = part.name.removesuffix("[@]").removesuffix("[*]")
        if name == "BASH_SOURCE" and name not in self._by_name:
            name = "0"
        named = name.isidentifier() or name.isdecimal()
        again = name in self._open and self._was_there(name)
        unset = named and not again and (name in self._open or self._is_to_come(name) or not self._is_there(name))
        asks = part.operator not in ("", UNKNOWN_OPERATOR)
        value = None if part.operator == UNKNOWN_OPERATOR or unset or self._changes_after(name) else self._value(name)
        value = self._outer(name) if again else value
        if value is not None and name == part.name and self._is_list(name):
            value = value[:1]
        if asks and (unset or (part.operator.startswith(":") and _is_empty(value))):
            yield from self._default(part.default, splits)
        elif value is None or not self._affords(name, value, part.span.start, apart=splits) or (splits and "IFS" in self._by_name):
            yield from self._gap(part)
        else:
            parted = part.quoted and part.name.endswith("[@]")
            yield from (replace(atom, splits=splits and atom.known) for atom in _joined(value)) if not parted else _apart(value)

    def _default(self, parts: Iterable[Part], splits: bool) -> Iterator[Atom]:
        """The word behind ``:-``: blanks in it part words where neither it nor the whole expansion is quoted."""
        for part in parts:
            if isinstance(part, Literal):
                yield Atom(part.text, part.start, splits=splits and not part.quoted)
            else:
                yield from self._atoms((part,), splits)

    def _is_to_come(self, name: str) -> bool:
        """Is the script's first value of it written behind the command that asks?"""
        return (
            self._until is not None
            and not self._open
            and name not in self._given
            and not (self._outside is not None and self._outside.holds(name))
            and name in self._by_name
            and all(one.at > self._until for one in self._by_name[name])
        )

    def _changes_after(self, name: str) -> bool:
        """Is it given a longer value of itself behind the place that asks? Only the last value is held."""
        place = self._standing[-1] if self._standing else self._until
        if place is not None and self._outside is not None and name in self._by_name and self._outside.holds(name):
            is_later = all(one.at > place for one in self._by_name[name])  # it is still what the script around made it, or a round before
            return is_later or self._grows.get(name, place) > place
        return place is not None and self._grows.get(name, place) > place

    def _is_list(self, name: str) -> bool:
        own = self._by_name.get(name)
        if own is None and name not in self._given and self._outside is not None:
            return self._outside.expander._is_list(name)
        return any(one.is_list for one in own or ())

    def _affords(self, name: str, lists: _Lists, at: int, *, apart: bool) -> bool:
        if (name, apart) not in self._costs:
            self._costs[name, apart] = cost_of(chain.from_iterable(lists), apart=apart)
        return self._work.expands(self._costs[name, apart], at)

    def _gap(self, part: Variable) -> tuple[Atom, ...]:
        if part.name == "PWD" and not part.operator:
            return (Atom(".", part.span.start, known=False),)
        shown = part.name[:1] if part.name.startswith(("@", "*")) else part.name
        return (Atom(f"${{{shown or '...'}}}", part.span.start, known=False),)

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
        if name[:1] in ("@", "*") and "#" in self._given:
            first, count = int(name[1:] or 0) + 1, int(self._given["#"].text)
            return tuple(self._given[str(number)].atoms for number in range(first, count + 1))
        word = self._given.get(name)
        if word is not None:
            return (word.atoms,)
        return self._outside.lists(name) if self._outside is not None else None

    def _is_there(self, name: str) -> bool:
        """May the name be set?"""
        return name in self._by_name or name in self._given or (self._outside is not None and self._outside.holds(name))

    def _was_there(self, name: str) -> bool:
        """May it have been set before the script began: ``X=${X:-1}``?"""
        return name in self._given or (self._outside is not None and self._outside.holds(name))

    @property
    def names(self) -> frozenset[str]:
        """What the script itself sets."""
        return frozenset(self._by_name)

    def holds(self, name: str, until: int | None) -> bool:
        """May the name be set in front of this place?"""
        if name in self._given or (self._outside is not None and self._outside.holds(name)):
            return True
        return any(until is None or one.at <= until for one in self._by_name.get(name, ()))

    def held(self, name: str, until: int | None) -> _Lists | None:
        """What a name holds in front of this place; None where that is not known."""
        before = self._until
        self._until = until
        known = not self._is_to_come(name) and not self._changes_after(name)
        self._until = before
        lists = self._value(name) if known else None
        return lists if lists is None or self._affords(name, lists, 0, apart=False) else None

    def _assigned(self, written: list[Assignment]) -> _Lists | None:
        """One plain assignment and what is put before and behind it. A second one, or one in a branch, is not known, but for what only an
        argument of the script can change (``while ...; case $1 in -m) MODEL=$2``): started without, the first one stands."""
        every = [written[0], *(one for one in written[1:] if "1" in self._given or not _is_argument(one))]
        first, rest = every[0], every[1:]
        if self._outside is not None and (first.appends or _own(first) is not None) and self._outside.holds(first.name):
            return self._outside.lists(first.name)  # which knows that it grows here
        if first.conditional or first.words is None or not all(map(_adds, rest)):
            return None
        if any(one.is_list for one in every) and any(_own(one) is not None for one in rest):
            return None  # bash gives the new text to the first item
        lists: list[tuple[Atom, ...]] = []
        for one in every:
            if one.conditional:
                break
            if (own := _own(one) if lists else None) is None:
                lists.extend(self._listed(one))
            elif (longer := self._around(lists, one, own)) is None:
                return None
            else:
                lists = [longer]
        unsure = next((one for one in every if one.conditional), None)
        if unsure is not None:
            end = rest[-1].words[0].span.start if rest and rest[-1].words else 0
            lists.append((*_gap_before(unsure, end), Atom("${...}", end, known=False)))
        return tuple(lists) if any(one.is_list for one in every) else (tuple(chain.from_iterable(lists)),)

    def _listed(self, one: Assignment) -> list[tuple[Atom, ...]]:
        self._standing.append(one.at)
        found: list[tuple[Atom, ...]] = []
        for raw in one.words or ():
            if one.is_list:
                found.extend(self._fields(raw.parts))
            else:
                found.append(tuple(_unsplit(self._atoms(raw.parts, splits=False))))
        self._standing.pop()
        return found

    def _around(self, lists: list[tuple[Atom, ...]], one: Assignment, own: int) -> tuple[Atom, ...] | None:
        """``ARGS=" --x $ARGS"``: what it held, with what is put around it; None where that is too much to copy."""
        held = tuple(chain.from_iterable(lists))
        if not self._work.expands(cost_of(held, apart=False), one.at):
            return None
        parts = one.words[0].parts if one.words else ()
        self._standing.append(one.at)
        before, behind = (tuple(_unsplit(self._atoms(some, splits=False))) for some in (parts[:own], parts[own + 1 :]))
        self._standing.pop()
        return (*before, *held, *behind)


def _adds(one: Assignment) -> bool:
    """Does it keep what the variable held before?"""
    return one.words is not None and (one.appends or (not one.conditional and _own(one) is not None))


def _own(one: Assignment) -> int | None:
    """Which part of the value is the variable itself, as it was: only where it stands there once, and nothing is asked of it."""
    if one.appends or one.is_list or one.words is None or len(one.words) != 1:
        return None
    own = [at for at, part in enumerate(one.words[0].parts) if isinstance(part, Variable) and part.name == one.name]
    plain = len(own) == 1 and isinstance(part := one.words[0].parts[own[0]], Variable) and not part.operator
    return own[0] if plain else None


def _gap_before(unsure: Assignment, at: int) -> tuple[Atom, ...]:
    """``ARGS+=" --x"``: a text that may grow by more words."""
    parts = unsure.words[0].parts if unsure.words and not unsure.is_list else ()
    first = next((part.text for part in parts if isinstance(part, Literal) and part.text), "")
    return (Atom(" ", at),) if first[:1].isspace() else ()


def _is_empty(value: _Lists | None) -> bool:
    return value is not None and not any(atom.text for atoms in value for atom in atoms)


def _apart(lists: _Lists) -> Iterator[Atom]:
    """``"x${NAME[@]}y"``: the first item ends one word, the last begins another."""
    for index, atoms in enumerate(lists):
        if index:
            yield Atom(" ", atoms[0].start if atoms else 0, splits=True)
        yield from _unsplit(atoms)


def _is_argument(one: Assignment) -> bool:
    """Does a branch take the value from the script's own arguments, quoted or not?"""
    raw = one.words[0].parts if one.conditional and one.words and len(one.words) == 1 and not one.is_list else ()
    parts = [part for part in raw if not (isinstance(part, Literal) and not part.text)]  # quotes leave an empty text
    return bool(parts) and all(isinstance(part, Variable) and (part.name.isdecimal() or part.name == "OPTARG") for part in parts)


def _whole_list(parts: tuple[Part, ...]) -> Variable | None:
    """The variable of ``"${NAME[@]}"``, quoted or not, where nothing else is in the word."""
    written = [part for part in parts if not (isinstance(part, Literal) and not part.text)]
    only = written[0] if len(written) == 1 else None
    if not isinstance(only, Variable) or only.operator:
        return None
    return only if only.name.endswith(("[@]", "[*]")) or only.name[:1] in ("@", "*") else None


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
