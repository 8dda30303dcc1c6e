"""The words of a shell command: raw as they are written, and expanded, every character with its place in the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from budgetlint.base.record import record, replace
from budgetlint.base.source import Span

SHIFTED_AWAY = 2**20
"""So many arguments are gone that nobody knows how many: ``shift $N`` of an ``N`` that is not known."""
UNKNOWN_OPERATOR = "?"
"""The operator of `Variable` for an expansion that is not followed: ``${X%.*}``, ``${#X}``, ``${!X}``."""


@record
class Literal:
    """Characters that stand in the text as they are, from ``start`` on."""

    text: str
    start: int
    quoted: bool = False

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@record
class Variable:
    """``$NAME`` or ``${NAME<operator>...}``; ``default`` is the word behind ``:-``, ``-``, ``:=`` and ``=``."""

    name: str
    span: Span
    quoted: bool = False
    operator: str = ""
    default: tuple[Part, ...] = ()
    rest: str = ""
    """What stands behind the name where the operator is not one of the above: ``%/*``; ``#`` for the length."""


@record
class Opaque:
    """What only running the command could tell: ``$(...)``, backquotes, arithmetic. ``text`` as it is written."""

    text: str
    span: Span
    quoted: bool = False
    shifts: int = 0
    """How many arguments are gone where it stands."""


Part = Literal | Variable | Opaque


@record
class RawWord:
    parts: tuple[Part, ...]
    span: Span

    @property
    def bare(self) -> str:
        """The text of a word without quotes and expansions, else empty: what a reserved word must be."""
        return self.parts[0].text if len(self.parts) == 1 and isinstance(self.parts[0], Literal) and not self.parts[0].quoted else ""


@record
class Atom:
    """A piece of an expanded word. ``known`` pieces stand at ``start`` character by character; others hold ``${...}``, or what the shell
    makes of known values, where they are ``told``."""

    text: str
    start: int
    known: bool = True
    splits: bool = False
    """Blanks in it separate words: it came out of an expansion that was not quoted."""
    told: bool = False


@record
class Word:
    """One argument as the program gets it. ``span`` is where its value stands: in the assignment of the variable that gives it,
    else in the command. ``text`` holds ``${NAME}``, ``$(...)`` or ``$((...))`` for what is not known."""

    text: str
    span: Span
    known: bool = True
    atoms: tuple[Atom, ...] = ()

    @property
    def is_told(self) -> bool:
        """Is its text what the program gets, wherever it stands?"""
        return self.known or bool(self.atoms and all(atom.known or atom.told for atom in self.atoms))

    def after(self, index: int) -> Word:
        """The rest of the word from this character on: ``--flag=VALUE`` without the flag."""
        atoms, at = [], 0
        for atom in self.atoms:
            end = at + len(atom.text)
            if end > index:
                cut = max(0, index - at)
                atoms.append(Atom(atom.text[cut:], atom.start + cut, atom.known, told=atom.told))
            at = end
        start = atoms[0].start if atoms else self.span.end
        same = self.span.start <= start <= self.span.end
        span = Span(start, self.span.end) if same else _reach(atoms) or self.span
        return Word(self.text[index:], span, all(atom.known for atom in atoms), tuple(atoms))

    def place(self, index: int) -> int:
        """Where the character at ``index`` stands in the file."""
        for atom in self.atoms:
            if index < len(atom.text):
                return atom.start + (index if atom.known else 0)
            index -= len(atom.text)
        return self.span.end


def _reach(atoms: list[Atom]) -> Span | None:
    """The range of atoms that follow each other in the file with nothing but quotes between them."""
    if not atoms or not all(atom.known for atom in atoms):
        return None
    for left, right in pairwise(atoms):
        if not 0 <= right.start - left.start - len(left.text) <= 2:
            return None
    return Span(atoms[0].start, atoms[-1].start + len(atoms[-1].text))


def word_of(atoms: tuple[Atom, ...], written: Span) -> Word:
    """The word of these atoms; ``written`` is where its expansion stands in the command."""
    reach = _reach(list(atoms))
    span = written if reach is None or _is_written(reach, written) else reach
    return Word("".join(atom.text for atom in atoms), span, all(atom.known for atom in atoms), atoms)


def _is_written(reach: Span, written: Span) -> bool:
    """Do the characters stand in the command itself, at most behind a quote? Those of ``${X:-default}`` stand further in."""
    return written.start <= reach.start <= written.start + 1 and reach.end <= written.end


def joined(words: Sequence[Word]) -> Word:
    """Words with a blank between them, as ``eval`` puts them together."""
    atoms: list[Atom] = []
    for word in words:
        if atoms:
            atoms.append(Atom(" ", word.span.start))
        atoms.extend(word.atoms)
    return word_of(tuple(atoms), words[0].span)


def shifted(raw: RawWord, by: int) -> RawWord:
    """The word behind ``shift BY``: ``$1`` is what ``$2`` was."""
    return replace(raw, parts=tuple(_shifted_part(part, by) for part in raw.parts))


def is_argument(name: str) -> bool:
    """Is it one of those that ``shift`` moves?"""
    return name in ("@", "*", "#") or (name.isdecimal() and name != "0")


def _shifted_part(part: Part, by: int) -> Part:
    if isinstance(part, Opaque):
        return replace(part, shifts=part.shifts + by)
    if not isinstance(part, Variable):
        return part
    if by >= SHIFTED_AWAY and is_argument(part.name):
        return replace(part, operator=UNKNOWN_OPERATOR, default=(), rest="")
    return replace(part, name=moved_name(part.name, by), default=tuple(_shifted_part(inner, by) for inner in part.default))


def moved_name(name: str, by: int) -> str:
    """What an argument was called before ``shift BY``; ``@2`` are those behind the second."""
    if not by or not is_argument(name):
        return name
    return str(int(name) + by) if name.isdecimal() else f"{name}{by}"


def moved(raw: RawWord, place: Callable[[int], int]) -> RawWord:
    """A word read from another word's text, its places moved to where that word's characters stand."""
    return RawWord(tuple(piece for part in raw.parts for piece in _moved_part(part, place)), _moved_span(raw.span, place))


def _moved_part(part: Part, place: Callable[[int], int]) -> Iterator[Part]:
    if isinstance(part, Literal):
        yield from _moved_literal(part, place)
    elif isinstance(part, Opaque):
        yield replace(part, span=_moved_span(part.span, place))
    else:
        default = tuple(piece for inner in part.default for piece in _moved_part(inner, place))
        yield replace(part, span=_moved_span(part.span, place), default=default)


def _moved_literal(part: Literal, place: Callable[[int], int]) -> Iterator[Literal]:
    """Cut wherever neighbors in the text are no neighbors in the file."""
    begin, at = 0, [place(part.start + index) for index in range(len(part.text))]
    for index in range(1, len(at) + 1):
        if index == len(at) or at[index] != at[index - 1] + 1:
            yield Literal(part.text[begin:index], at[begin], part.quoted)
            begin = index
    if not at:
        yield replace(part, start=place(part.start))


def _moved_span(span: Span, place: Callable[[int], int]) -> Span:
    start = place(span.start)
    return Span(start, max(start, place(span.end - 1) + 1 if span.end > span.start else start))
