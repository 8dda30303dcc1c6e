"""Shell scripts as located commands: what each command would be given, as far as the text alone tells. Never executed.

A variable is known when it is assigned once, literally, outside branches, loops and functions, whatever a branch takes from the
script's arguments; ``${NAME:-default}`` gives the default of a variable that the script does not set, and of an argument. Arithmetic
on known values is worked out. Everything else stays symbolic: ``$1``, ``$(...)``, a second assignment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from budgetlint.base.record import open_record, record, replace
from budgetlint.base.source import Span
from budgetlint.documents.shell_assign import counted_in
from budgetlint.documents.shell_expand import Assignment, Expander
from budgetlint.documents.shell_lexer import Lexer
from budgetlint.documents.shell_parser import Parser, RawCommand
from budgetlint.documents.shell_words import Word, moved
from budgetlint.documents.shell_work import ShellWork
from budgetlint.documents.shell_written import Written


@record
class Command:
    """One simple command: ``words`` expanded, ``environment`` what is assigned in front of it. Redirections are left out."""

    words: tuple[Word, ...]
    environment: Mapping[str, Word]
    span: Span
    text: Word | None = None
    """What it is given to read: a here-document, its own or that of the ``cat`` in front of a pipe, or a here-string."""


@open_record
class Script:
    """The commands of a script in the order of the text, and its variables."""

    commands: tuple[Command, ...]
    expander: Expander
    written: tuple[Written, ...] = ()
    """The files that it writes with here-documents, outside of branches and functions."""

    def value(self, name: str) -> Word | None:
        """What a variable holds, as one word; None where the script does not set it."""
        return self.expander.variable(name)


def read_shell(
    text: str,
    start: int = 0,
    end: int | None = None,
    *,
    given: Mapping[str, Word] | None = None,
    place: Callable[[int], int] | None = None,
    make: bool = False,
    work: ShellWork | None = None,
) -> Script:
    """The commands of ``text[start:end]``. ``given`` are variables that the surroundings set (a job's ``envs``); ``place`` says
    where a character of the text stands in the file, where the text is not the file's. ``work`` is the account of the file."""
    work = work if work is not None else ShellWork()
    parser = Parser(Lexer(text, start, end, make=make, work=work))
    parser.run()
    parser.assignments.extend(
        Assignment(name, None, conditional=True) for name in counted_in(text, start, len(text) if end is None else end)
    )
    assigned, raws = parser.assignments, parser.commands
    if place is not None:
        assigned, raws = [_moved_assignment(one, place) for one in assigned], [_moved_command(raw, place) for raw in raws]
    expander = Expander(assigned, given if given is not None else {}, work)
    ordered = place is None and not make
    commands = tuple(
        Command(*_parts(raw, expander, raw.at if ordered and not raw.later else None), raw.span, parser.given_to(raw, expander, place))
        for raw in raws
    )
    written = tuple(parser.here_documents(expander)) if place is None else ()
    return Script(tuple(command for command in commands if command.words), expander, written)


def _moved_assignment(one: Assignment, place: Callable[[int], int]) -> Assignment:
    return replace(one, words=tuple(moved(word, place) for word in one.words) if one.words is not None else None, at=0)


def _moved_command(raw: RawCommand, place: Callable[[int], int]) -> RawCommand:
    words = tuple(moved(word, place) for word in raw.words)
    return replace(raw, words=words, environment=tuple(_moved_assignment(one, place) for one in raw.environment), span=words[0].span)


def _parts(raw: RawCommand, expander: Expander, until: int | None) -> tuple[tuple[Word, ...], dict[str, Word]]:
    environment = {one.name: expander.single(one) for one in raw.environment}
    return tuple(word for part in raw.words for word in expander.words(part, until)), environment
