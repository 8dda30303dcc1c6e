"""What a loop leaves behind: its rounds one after the other where it is known how many there are, else nothing is known of what it sets.

A loop over the arguments of a script that is started without any leaves everything as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from budgetlint.base.expression import expression
from budgetlint.base.record import replace
from budgetlint.base.source import Span
from budgetlint.documents.shell_arithmetic import computed
from budgetlint.documents.shell_assignment import Assignment, adds_words
from budgetlint.documents.shell_frames import FUNCTION, LOOP, CompoundCommand, Frame
from budgetlint.documents.shell_lexer import Lexer
from budgetlint.documents.shell_simple import calculated
from budgetlint.documents.shell_tokens import Array
from budgetlint.documents.shell_words import Literal, Opaque, RawWord, Variable, Word
from budgetlint.documents.shell_work import ShellWork

if TYPE_CHECKING:
    from budgetlint.documents.shell_parser import Parser  # a round is parsed as the script is

ROUNDS = 32
_OF_ARGUMENTS = expression(r"\$(?:#|[1@*]|\{[1@*#])|\bgetopts\b")


def names_loop(parser: Parser, words: Sequence[RawWord | Array]) -> None:
    """``for X in a b``"""
    frame, name = parser.frames.last, words[1] if len(words) > 1 else None
    if isinstance(name, RawWord) and frame is not None and frame.kind == LOOP:
        goes_over = len(words) > 2 and isinstance(words[2], RawWord) and words[2].bare == "in"
        items = tuple(word for word in words[3:] if isinstance(word, RawWord)) if goes_over else None
        _goes_over(parser, frame, name.bare, items, words[0].span.start)


def counts(parser: Parser, frame: Frame) -> None:
    """``for (( i = 0; i < 4; i++ ))``"""
    found = _counted(parser, frame) if parser.frames.inside[LOOP] == 1 and not parser.frames.inside[FUNCTION] and parser.runs else None
    if found is not None:
        _goes_over(parser, frame, *found, frame.at)


def _goes_over(parser: Parser, frame: Frame, name: str, items: tuple[RawWord, ...] | None, at: int) -> None:
    frame.written, frame.head = name, items or ()
    parser.sets([Assignment(name, None, conditional=True, at=at)])
    parser.names_block(CompoundCommand(name, items, is_loop=True, at=at, shifts=parser.shifts))


def goes_round(parser: Parser, frame: Frame, end: int) -> None:
    """The end of a loop, whose frame is closed."""
    body = parser.assignments[frame.every :]
    if not parser.runs or not (body or "shift" in parser.lexer.text[frame.at : end]):
        return
    if _is_of_arguments(parser, frame, end) and not parser.trial.may_have_arguments():
        parser.assignments[frame.every :] = [replace(one, conditional=True, asked=True) for one in body]
        return
    names: dict[str, bool] = {}
    for one in body:
        names[one.name] = names.get(one.name, True) and adds_words(one)
    parser.loops.append((frame.at, end, names))
    if not parser.frames.straight() or parser.conditional or frame.body < 0:
        return
    del parser.assignments[frame.every :]
    parser.relearns()
    shifts = parser.shifts
    found = _rounds(parser, frame, end, end if parser.fixed is None else parser.fixed)
    if found is None:
        parser.shifts = shifts
        parser.trial, parser.learned = parser.trial.anew(parser.assignments), len(parser.assignments)
        parser.assignments.extend(body)
    else:
        parser.assignments.extend(found)
        parser.learned = len(parser.assignments)


def _is_of_arguments(parser: Parser, frame: Frame, end: int) -> bool:
    """``while [ $# -gt 0 ]``, ``while getopts``, ``for x in "$@"``, ``for x``"""
    if frame.written in ("while", "until"):
        return _OF_ARGUMENTS.search(parser.lexer.text, frame.at, frame.body if frame.body >= 0 else end) is not None
    is_whole = len(frame.head) == 1 and any(isinstance(part, Variable) and part.name[:1] in ("@", "*") for part in frame.head[0].parts)
    block = parser.blocks[frame.block] if frame.block >= 0 else None
    return is_whole or (block is not None and block.items is None)


def _rounds(parser: Parser, frame: Frame, end: int, fixed: int) -> list[Assignment] | None:
    """What the rounds set, or None where it is not known. All of it counts at one place, one after the other."""
    own = parser.lexer.work
    work = own if parser.fixed is not None else ShellWork(steps=own.steps, words=own.unrolled)
    found = _followed(parser, frame, end, fixed, work)
    if work is not own:
        own.unrolled, own.steps = work.words, min(own.steps, work.steps)
    return found if not work.cut else None


def _followed(parser: Parser, frame: Frame, end: int, fixed: int, work: ShellWork) -> list[Assignment] | None:
    found: list[Assignment] = []
    for count, given in enumerate(_each(parser, frame, fixed)):
        if given is None or count >= ROUNDS:
            return None
        parser.trial.learn(given)
        found.extend(given)
        inner = type(parser)(
            Lexer(parser.lexer.text, frame.body, end, make=parser.lexer.make, work=work), parser.trial, fixed=fixed, shifts=parser.shifts
        )
        inner.functions = parser.functions
        inner.run()
        inner.conditions(fixed, 0)  # what it has not asked about is learned too
        if inner.lost or work.cut or inner.left == "exit" or inner.trial is not parser.trial:
            return None
        parser.shifts = inner.shifts
        found.extend(inner.assignments)
        if inner.left == "break":
            return found
    return found


def _each(parser: Parser, frame: Frame, fixed: int) -> Iterator[list[Assignment] | None]:
    """What each round begins with; None where nobody knows whether there is one."""
    if frame.written in ("while", "until"):
        while (answer := parser.conditions(fixed + 1, parser.shifts).holds(frame.condition)) is not None:
            if answer != (frame.written == "while"):
                return
            yield []
        yield None
        return
    words = _items(parser, frame, frame.at if parser.fixed is None else fixed + 1)
    for word in words if words is not None else ():
        yield [Assignment(frame.written, (raw_of(word),), at=fixed)]
    if words is None:
        yield None


def _items(parser: Parser, frame: Frame, at: int) -> list[Word] | None:
    parser.conditions(at, 0)
    found = [word for raw in frame.head for word in parser.trial.words(raw, at)]
    return found if frame.head and all(word.is_told for word in found) and len(found) <= ROUNDS else None


def _counted(parser: Parser, frame: Frame) -> tuple[str, tuple[RawWord, ...] | None] | None:
    """The variable of ``for (( i = 0; i < 4; i++ ))``, and its values where they are known."""
    first, asked, step = (*frame.written.split(";"), "", "")[:3]
    span = Span(frame.at, frame.at)
    begins, goes_on = calculated(first, span, conditional=False), calculated(step, span, conditional=False)
    if begins is None or goes_on is None:
        return None
    name = begins.name
    at = frame.at if parser.fixed is None else parser.fixed + 1
    parser.conditions(at, 0)
    parser.trial.place(at)
    held: dict[str, str | None] = {}

    def value(of: str) -> str | None:
        return held[of] if of in held else parser.trial.behind(parser.shifts)(of)

    found: list[RawWord] = []
    now = computed(_text(begins), value)
    while now is not None and name == goes_on.name and len(found) <= ROUNDS:
        held[name] = now
        if (holds := computed(f"$(({asked.strip()}))", value)) in (None, "0"):
            return name, tuple(found) if holds == "0" else None
        found.append(RawWord((Literal(now, frame.at, quoted=True),), span))
        now = computed(_text(goes_on), value)
    return name, None


def _text(one: Assignment) -> str:
    part = one.words[0].parts[0] if one.words else None
    return part.text if isinstance(part, Opaque) else ""


def raw_of(word: Word) -> RawWord:
    """A word that is known, as it would be written."""
    return RawWord(
        tuple(Literal(atom.text, atom.start, quoted=True) for atom in word.atoms) or (Literal("", word.span.start, quoted=True),), word.span
    )
