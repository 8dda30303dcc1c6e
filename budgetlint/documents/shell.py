"""Shell scripts as located commands: what each command would be given, as far as the text alone tells. Never executed.

A variable holds what is assigned in front of the command that asks, branch by branch where the conditions tell, round by round where
the items of a loop do; ``${NAME:-default}`` gives the default of a variable that the script does not set, and of an argument, and a
script that is started without arguments leaves its option loops as they are. Everything else stays symbolic: ``$1``, ``$(...)``, what a
branch sets that only the machine decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from budgetlint.base.record import open_record, record, replace
from budgetlint.base.source import Span
from budgetlint.documents.shell_around import Around
from budgetlint.documents.shell_assign import counted_in
from budgetlint.documents.shell_assignment import Assignment
from budgetlint.documents.shell_expand import Expander
from budgetlint.documents.shell_frames import CompoundCommand, RawCommand
from budgetlint.documents.shell_held import END
from budgetlint.documents.shell_lexer import Lexer
from budgetlint.documents.shell_parser import Parser
from budgetlint.documents.shell_words import Opaque, Part, RawWord, Variable, Word, moved
from budgetlint.documents.shell_work import ShellWork
from budgetlint.documents.shell_written import Written, body_of, written_files


@record
class Command:
    """One simple command: ``words`` expanded, ``environment`` what is assigned in front of it. Redirections are left out."""

    words: tuple[Word, ...]
    environment: Mapping[str, Word]
    span: Span
    text: Word | None = None
    """What it is given to read: a here-document, its own or that of the ``cat`` in front of a pipe, or a here-string."""
    block: int = -1
    """Which of the script's blocks is the outermost that it stands in."""
    at: int = 0
    """Where it stands in the text that was read, which may be a part of the file's."""


@open_record
class Script:
    """The commands of a script in the order of the text, and its variables."""

    commands: tuple[Command, ...]
    expander: Expander
    written: tuple[Written, ...] = ()
    """The files that it writes with here-documents, outside of branches and functions."""
    blocks: tuple[CompoundCommand, ...] = ()
    """Its functions and ``for`` loops."""
    text: str = ""
    place: Callable[[int], int] | None = None
    make: bool = False
    exported: tuple[tuple[str, int], ...] = ()
    """Variables that the programs which it starts find set, each with where the script says so."""
    asked: tuple[tuple[int, int], ...] = ()
    """Where commands stand that submit a job inside of ``$(...)``."""

    def exports(self, until: int, held: Iterable[str] = ()) -> dict[str, Word]:
        """What a program finds set that is started there; not known where the script does not tell what that is. ``held`` are names that
        are set for the script itself: what it makes of them counts."""
        told: dict[str, Word] = {}
        own = ((name, 0) for name in held if self.expander.assigns(name))
        for name, at in (*own, *self.exported):
            value = self.value(name, until) if at <= until else None
            if value is not None:
                told[name] = value
            elif at <= until and self.expander.assigns(name):
                told[name] = Word(f"${{{name}}}", Span(at, at), known=False)
        return told

    def value(self, name: str, until: int | None = None) -> Word | None:
        """What a variable holds there, as one word; None where the script does not set it."""
        return self.expander.variable(name, until)

    def items(self, block: CompoundCommand) -> tuple[Word, ...] | None:
        """What a loop goes over; None where that is not known."""
        found: list[Word] = []
        for raw in block.items or ():
            item = moved(raw, self.place) if self.place is not None else raw
            words = tuple(self.expander.words(item, block.at if self.is_ordered else None))
            if any(map(_may_part, raw.parts)) and not all(word.is_told for word in words):
                return None
            found.extend(words)
        return tuple(found) if block.items else None

    @property
    def is_ordered(self) -> bool:
        """Do places in the text say what comes before what?"""
        return not self.make

    def within(self, start: int, end: int, around: Around, work: ShellWork) -> Script:
        """The commands of a substitution."""
        return read_shell(self.text, start, end, place=self.place, make=self.make, work=work, around=around)

    def inner(self, block: CompoundCommand, given: Mapping[str, Word], around: Around, work: ShellWork) -> Script:
        """The body of a block, once."""
        return read_shell(
            self.text, block.start, block.end, given=given, place=self.place, make=self.make, work=work, around=around, shifts=block.shifts
        )


def read_shell(
    text: str,
    start: int = 0,
    end: int | None = None,
    *,
    given: Mapping[str, Word] | None = None,
    place: Callable[[int], int] | None = None,
    make: bool = False,
    work: ShellWork | None = None,
    around: Around | None = None,
    sourced: Mapping[str, int] | None = None,
    shifts: int = 0,
) -> Script:
    """The commands of ``text[start:end]``. ``given`` are variables that the surroundings set (a job's ``envs``); ``place`` says
    where a character of the text stands in the file, where the text is not the file's. ``work`` is the account of the file,
    ``around`` the script whose variables it finds set; ``sourced`` are names that a sourced script sets, each with where that is;
    ``shifts`` says how many arguments are gone already."""
    work = work if work is not None else ShellWork()
    held = given if given is not None else {}
    parser = Parser(Lexer(text, start, end, make=make, work=work), Expander((), held, work, around, ordered=not make), shifts=shifts)
    parser.run()
    parser.assignments.extend(counted_in(text, start, len(text) if end is None else end))
    parser.assignments.extend(_set_again(parser.assignments, sourced or {}))
    assigned, raws = parser.assignments, parser.commands
    if place is not None:
        assigned, raws = [_moved_assignment(one, place) for one in assigned], [_moved_command(raw, place) for raw in raws]
    expander = Expander(assigned, held, work, around, ordered=not make)
    for loop in parser.loops:
        expander.changes(*loop)
    commands = tuple(_command(raw, expander, not make, _given_to(parser, raw, expander, place)) for raw in raws)
    written = tuple(written_files(parser.lexer, parser.writes.found, expander)) if place is None else ()
    named = tuple(command for command in commands if command.words)
    exported = tuple((name, at if not make else 0) for name, at in parser.exported)
    return Script(named, expander, written, tuple(parser.blocks), text, place, make, exported, tuple(parser.asked))


def _given_to(parser: Parser, raw: RawCommand, expander: Expander, place: Callable[[int], int] | None) -> Word | None:
    """What a command reads, once all variables are known."""
    if raw.reads is None:
        return None
    mark, number = raw.reads
    body = mark if number < 0 else body_of(parser.lexer, mark, number)
    if body is None:
        return None
    return expander.text(moved(body, place) if place is not None else body, END if raw.later else raw.at)


def _may_part(part: Part) -> bool:
    """May it come to several words, where it is not known?"""
    if isinstance(part, Variable):
        return not part.quoted or part.name.endswith("[@]") or part.name.startswith("@")
    return isinstance(part, Opaque) and not part.quoted


def _set_again(assignments: Sequence[Assignment], sourced: Mapping[str, int]) -> list[Assignment]:
    """What the script had set before it sources another that sets it too: nobody knows which of the two it is."""
    before = {one.name: sourced[one.name] for one in assignments if one.at < sourced.get(one.name, -1)}
    return [Assignment(name, None, conditional=True, at=at) for name, at in before.items()]


def _moved_assignment(one: Assignment, place: Callable[[int], int]) -> Assignment:
    key = moved(one.key, place) if one.key is not None else None
    return replace(one, words=tuple(moved(word, place) for word in one.words) if one.words is not None else None, key=key)


def _moved_command(raw: RawCommand, place: Callable[[int], int]) -> RawCommand:
    words = tuple(moved(word, place) for word in raw.words)
    return replace(raw, words=words, environment=tuple(_moved_assignment(one, place) for one in raw.environment), span=words[0].span)


def _command(raw: RawCommand, expander: Expander, ordered: bool, text: Word | None) -> Command:
    return Command(*_parts(raw, expander, raw.at if ordered and not raw.later else None), raw.span, text, raw.block, raw.at)


def _parts(raw: RawCommand, expander: Expander, until: int | None) -> tuple[tuple[Word, ...], dict[str, Word]]:
    environment = {one.name: expander.single(one, until) for one in raw.environment}
    return tuple(_expanded(raw.words, expander, until)), environment


def _expanded(words: Sequence[RawWord], expander: Expander, until: int | None) -> Iterator[Word]:
    """The arguments of a command. The value of a flag (``--model ${MODEL}``) that is empty until an argument of the script sets it is not
    known: nobody starts the script without."""
    for at, raw in enumerate(words):
        found = list(expander.words(raw, until))
        if not any(one.text for one in found) and at and words[at - 1].bare.startswith("--") and "=" not in words[at - 1].bare:
            is_value = at + 1 == len(words) or words[at + 1].bare.startswith("-")
            unsaid = expander.unsaid(raw) if is_value else None
            found = [unsaid] if unsaid is not None else found
        yield from found
