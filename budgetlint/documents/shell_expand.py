"""What words expand to, without running anything.

Sources: POSIX.1-2017 Shell Command Language 2.6 (parameter expansion, field splitting), bash 5.2 manual 3.5 and 6.7 (arrays).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from budgetlint.base.expression import expression
from budgetlint.base.record import replace
from budgetlint.base.source import Span
from budgetlint.documents.shell_answers import answered
from budgetlint.documents.shell_arithmetic import computed
from budgetlint.documents.shell_assignment import Assignment, by_argument
from budgetlint.documents.shell_braces import alternatives
from budgetlint.documents.shell_folder import folder
from budgetlint.documents.shell_given import is_surroundings
from budgetlint.documents.shell_held import Lists, unsplit
from budgetlint.documents.shell_items import Items
from budgetlint.documents.shell_parameters import changed
from budgetlint.documents.shell_paths import counted, is_comment, path
from budgetlint.documents.shell_words import UNKNOWN_OPERATOR, Atom, Literal, Opaque, Part, RawWord, Variable, Word, word_of

_BLANKS = expression(r"\s+")
_PARTED = expression(r"[\s*?\[]")
"""What parts an unquoted answer into words, or stands for names of files."""
_NAMES_FILES = expression(r"[*?\[]")


class Expander(Items):
    """Expands words with the variables of one script."""

    asks = False
    """Is it asked for conditions, in which a variable that nobody sets is empty?"""
    hangs = False
    """Has an answer hung on what whoever starts the script may set?"""

    def words(self, raw: RawWord, until: int | None = None) -> Iterator[Word]:
        """The arguments that one written word becomes: none, one, or several. Assignments behind ``until`` are still to come."""
        self._until = until
        ways = alternatives(raw.parts) if self._ordered else alternatives(raw.parts, most=1)
        if ways is None or not self._affords_words(len(ways), raw):
            yield word_of((Atom("${...}", raw.span.start, known=False),), raw.span)
        else:
            for parts in ways:
                for atoms in self._fields(parts):
                    yield word_of(atoms, raw.span)
        self._until = None

    def _affords_words(self, count: int, raw: RawWord) -> bool:
        return count == 1 or self._work.expands(count, raw.span.start)

    def unsaid(self, raw: RawWord) -> Word | None:
        """A word that is one variable, which an argument of the script may set, as the variable that it is; None for other words."""
        written = [part for part in raw.parts if not (isinstance(part, Literal) and not part.text)]  # quotes leave an empty text
        one = written[0] if len(written) == 1 else None
        if not isinstance(one, Variable) or one.operator:
            return None
        if one.name not in self._by_name and self._outside is not None:
            return self._outside.expander.unsaid(raw)
        return word_of(self._gap(one), raw.span) if any(map(by_argument, self._by_name.get(one.name, [])[1:])) else None

    def single(self, one: Assignment, until: int | None = None) -> Word:
        """The value of an assignment in front of a command."""
        raw = one.words[0] if one.words else RawWord((), Span(0, 0))
        self._until = until
        found = word_of(tuple(unsplit(self._atoms(raw.parts, splits=False))), raw.span)
        self._until = None
        return found

    def text(self, raw: RawWord, until: int) -> Word:
        """A word that is not parted, as it is before what stands behind ``until``."""
        self._until = until
        found = word_of(tuple(unsplit(self._atoms(raw.parts, splits=False))), raw.span)
        self._until = None
        return found

    def anew(self, assignments: Iterable[Assignment]) -> Expander:
        """The same with other assignments."""
        return Expander(assignments, self._given, self._work, self._outside, ordered=self._ordered)

    def place(self, until: int | None) -> None:
        """What is asked next is asked there."""
        self._until = until

    def variable(self, name: str, until: int | None = None) -> Word | None:
        """What it holds there, as one word; None where it is not set, or not known."""
        self._until = until
        lists = self._value(name) if self._is_there(name) else None
        at = lists[0][0].start if lists and lists[0] else 0
        is_told = lists is not None and len(lists) > 0 and self._affords(name, lists, at, apart=False)
        self._until = None
        if lists is None or not is_told:
            return None
        atoms = tuple(unsplit(chain.from_iterable(lists)))
        return word_of(atoms, Span(atoms[0].start, atoms[0].start) if atoms else Span(0, 0))

    def _fields(self, parts: tuple[Part, ...]) -> Iterator[tuple[Atom, ...]]:
        whole = _whole_list(parts)
        if whole is None:
            yield from _split(self._atoms(parts, splits=True))
            return
        lists = self._list_of(whole)
        name, apart = whole.name.removesuffix("[@]").removesuffix("[*]"), not whole.quoted
        if lists is None or not self._affords(name, lists, whole.span.start, apart=apart) or (apart and "IFS" in self._by_name):
            yield self._gap(whole)
        elif not whole.quoted:
            yield from chain.from_iterable(_split(replace(atom, splits=atom.known or atom.told) for atom in atoms) for atoms in lists)
        elif whole.name.endswith("[@]") or whole.name.startswith("@") or whole.rest.endswith("[@]"):
            yield from lists
        else:
            yield tuple(_joined(lists))

    def _list_of(self, whole: Variable) -> Lists | None:
        """``${LIST[@]}``, ``$@``; of ``${!LIST[@]}`` the keys."""
        if not whole.rest:
            return self._value(whole.name.removesuffix("[@]").removesuffix("[*]"))
        held = self.items(whole.rest[:-3]) if self._is_list(whole.rest[:-3]) else None
        keys = held if held is None or self._is_map(whole.rest[:-3]) else sorted(held, key=int)
        return tuple((Atom(key, whole.span.start, known=False, told=True),) for key in keys) if keys is not None else None

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
        answer = computed(part.text, self.behind(part.shifts)) or counted(part.text, self._told) or path(part.text, self._one)
        if answer is not None and self._is_one(answer, splits=splits):
            return Atom(answer, part.span.start, known=False, told=True)
        several = answered(part.text, self._one)
        if several is not None and "IFS" not in self._by_name and not _NAMES_FILES.search(several):
            return Atom(several, part.span.start, known=False, told=True, splits=splits)
        shown = f"$({part.text[1:-1]})" if part.text.startswith("`") else part.text
        return Atom(folder(part.text) or shown, part.span.start, known=False)

    def _one(self, raw: RawWord) -> str | None:
        """A word inside of a substitution that stays one; None where it is not known."""
        found = list(self._fields(raw.parts))
        is_told = len(found) == 1 and all(atom.known or atom.told for atom in found[0])
        return "".join(atom.text for atom in found[0]) if is_told else None

    def _is_one(self, answer: str, *, splits: bool) -> bool:
        """Does an answer of the shell stay one word?"""
        return not splits or ("IFS" not in self._by_name and bool(answer) and not _PARTED.search(answer))

    def _told(self, name: str) -> str | None:
        """The text of a variable that is known."""
        name = "0" if name == "BASH_SOURCE" and name not in self._by_name else name
        lists = self._value(name) if self._is_there(name) else None
        if lists is None or len(lists) != 1 or not all(atom.known or atom.told for atom in lists[0]):
            return None
        return "".join(atom.text for atom in lists[0])

    def _worked_out(self, part: Variable, *, splits: bool) -> Iterable[Atom] | None:
        """``${X%/*}``, ``${LIST[0]}``, ``${#LIST[@]}``, ``${!NAME}``"""
        rest, text = part.rest, None
        if part.name == "!" and rest.isidentifier():
            name = self._told(rest)
            return self._expanded(replace(part, name=name, rest="", operator=""), splits) if name and name.isidentifier() else None
        if rest == "#":
            lists = self._value(part.name) if self._is_list(part.name) else None
            text, rest = (str(len(lists)) if lists is not None and not _may_be_several(lists) else None), ""
        elif rest.startswith("["):
            subscript, _, rest = rest[1:].partition("]")
            if not self._is_list(part.name):
                text = self._told(part.name) if subscript == "0" else None
            else:
                atoms = self.item(part.name, subscript)
                if atoms is not None and not rest and "IFS" not in self._by_name:
                    return [replace(atom, splits=splits) for atom in atoms]
                text = "".join(atom.text for atom in atoms) if atoms is not None else None
        elif part.name in ("0", "BASH_SOURCE") or part.name.isidentifier() or part.name.isdecimal():
            text = self._told(part.name)
        answer = text if text is None or not rest else changed(text, rest)
        is_one = answer is not None and self._is_one(answer, splits=splits)
        return [Atom(answer, part.span.start, known=False, told=True)] if answer is not None and is_one else None

    def _expanded(self, part: Variable, splits: bool) -> Iterator[Atom]:
        if part.operator == UNKNOWN_OPERATOR and part.rest and (made := self._worked_out(part, splits=splits)) is not None:
            yield from made
            return
        name = part.name.removesuffix("[@]").removesuffix("[*]")
        if name == "BASH_SOURCE" and name not in self._by_name:
            name = "0"
        unset = (name.isidentifier() or name.isdecimal()) and not self._is_there(name)
        value = None if part.operator == UNKNOWN_OPERATOR or unset else self._value(name)
        if value is not None and name == part.name and self._is_list(name):
            value = value[:1]
        is_empty = unset or (part.operator.startswith(":") and _is_empty(value))
        self.hangs |= unset and part.operator != UNKNOWN_OPERATOR
        if part.operator[-1:] == "+":
            if value is not None and not is_empty and (part.operator == "+" or _is_something(value)):
                yield from self._default(part.default, splits)
            elif not is_empty:
                yield from self._gap(part)
        elif part.operator not in ("", UNKNOWN_OPERATOR) and is_empty and part.operator[-1:] != "?":
            yield from self._default(part.default, splits)
        elif value is None or not self._affords(name, value, part.span.start, apart=splits) or (splits and "IFS" in self._by_name):
            if not (unset and self.asks and self.is_nobodys(name) and part.operator != UNKNOWN_OPERATOR):
                yield from self._gap(part)
        else:
            parted = part.quoted and part.name.endswith("[@]")
            yield from (
                (replace(atom, splits=splits and (atom.known or atom.told)) for atom in _joined(value)) if not parted else _apart(value)
            )

    def is_nobodys(self, name: str) -> bool:
        """Is it empty unless somebody sets it by hand?"""
        if self._is_there(name):
            return False
        return "#" in self._given if name.isdecimal() else not is_surroundings(name)

    def _default(self, parts: Iterable[Part], splits: bool) -> Iterator[Atom]:
        """The word behind ``:-``: blanks in it part words where neither it nor the whole expansion is quoted."""
        for part in parts:
            if isinstance(part, Literal):
                yield Atom(part.text, part.start, splits=splits and not part.quoted)
            else:
                yield from self._atoms((part,), splits)

    def _gap(self, part: Variable) -> tuple[Atom, ...]:
        if part.name == "PWD" and not part.operator:
            return (Atom(".", part.span.start, known=False),)
        shown = part.name[:1] if part.name.startswith(("@", "*", "#")) else part.name
        return (Atom(f"${{{shown or '...'}}}", part.span.start, known=False),)


def _may_be_several(lists: Lists) -> bool:
    return not all(atom.known or atom.told for atoms in lists for atom in atoms)


def _is_empty(value: Lists | None) -> bool:
    return value is not None and not any(atom.text for atoms in value for atom in atoms)


def _is_something(value: Lists) -> bool:
    """Is it surely not empty?"""
    return any(atom.text and (atom.known or atom.told) for atoms in value for atom in atoms)


def _apart(lists: Lists) -> Iterator[Atom]:
    """``"x${NAME[@]}y"``: the first item ends one word, the last begins another."""
    for index, atoms in enumerate(lists):
        if index:
            yield Atom(" ", atoms[0].start if atoms else 0, splits=True)
        yield from unsplit(atoms)


def _whole_list(parts: tuple[Part, ...]) -> Variable | None:
    """The variable of ``"${NAME[@]}"``, quoted or not, where nothing else is in the word."""
    written = [part for part in parts if not (isinstance(part, Literal) and not part.text)]
    only = written[0] if len(written) == 1 else None
    if not isinstance(only, Variable):
        return None
    if only.name == "!" and only.rest.endswith(("[@]", "[*]")) and only.rest[:-3].isidentifier():
        return only
    if only.operator:
        return None
    return only if only.name.endswith(("[@]", "[*]")) or only.name[:1] in ("@", "*") else None


def _joined(lists: Lists) -> Iterator[Atom]:
    """A list as one text: its words with a blank between."""
    for index, atoms in enumerate(lists):
        if index and atoms:
            yield Atom(" ", atoms[0].start)
        yield from atoms


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
                word.append(Atom(piece, atom.start + (at if atom.known else 0), atom.known, told=atom.told))
            if blank is not None:
                if word or started:
                    yield tuple(word)
                word, started, at = [], False, blank.end()
    if word or started:
        yield tuple(word)
