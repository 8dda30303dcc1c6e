"""The finding `command-cut-short`: a launch command ends before flags that were meant for it.

bash ends a command where its line ends, and a word where a blank stands: ``--config_file= run.toml`` gives the flag nothing and the program
a word of its own. A comment behind a continued line, a blank line, or a blank behind the backslash ends it as
well; the flags below are then a command of their own, "--max_length: command not found", and the launch has run without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from budgetlint.base.expression import expression
from budgetlint.base.finding import Confidence, Finding, Severity
from budgetlint.base.plain_text import one_line
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents.shell import Command
from budgetlint.documents.shell_words import Word
from budgetlint.launch.commands import started

CODE, NAME = "BL916", "command-cut-short"
_FLAG = expression(r"--?[A-Za-z]")
_VALUE = expression(r"[A-Za-z0-9_./~]")
_COMMENT = expression(r"^[ \t]*#", re.MULTILINE)


def cut_short(source: SourceFile, commands: Sequence[Command]) -> Iterator[Finding]:
    """One finding for each launch whose next command begins with a flag, and stands on a line of its own."""
    index = 0
    while index < len(commands) - 1:
        launch, index = commands[index], index + 1
        lost = _flags_from(commands, index)
        if not lost or not _apart(source, launch, lost[0]):
            continue
        program = started(launch.words)
        if program is not None:
            yield _finding(source, launch, lost, len(program.arguments), program.program)
        index += len(lost)


def cut_off(source: SourceFile, commands: Sequence[Command]) -> Iterator[Finding]:
    """One finding for each flag whose value a blank behind ``=`` cuts off."""
    for launch in commands:
        program = started(launch.words) if any(map(_is_empty, launch.words)) else None
        for flag, value in pairwise(program.arguments) if program is not None else ():
            if _is_empty(flag) and source.text[flag.span.start : flag.span.end].endswith("=") and value.known and _VALUE.match(value.text):
                yield Finding(
                    CODE,
                    NAME,
                    Severity.WARNING,
                    Confidence.HIGH,
                    f"a blank ends {flag.text}: the flag gets an empty value, and {one_line(value.text)} is an argument of its own",
                    source.locate(flag.span),
                    f"{flag.text}{one_line(value.text)} without the blank",
                )


def _is_empty(word: Word) -> bool:
    return word.known and word.text.startswith("--") and word.text.endswith("=")


def _flags_from(commands: Sequence[Command], index: int) -> list[Command]:
    """The commands from here on that are flags of the one before."""
    found: list[Command] = []
    for command in commands[index:]:
        if not command.words[0].known or not _FLAG.match(command.words[0].text):
            break
        found.append(command)
    return found


def _apart(source: SourceFile, launch: Command, lost: Command) -> bool:
    """Does nothing but line ends, blanks, backslashes and comments stand between? A ``;`` was meant."""
    between = source.text[launch.span.end : lost.span.start]
    lines = [line for line in between.splitlines() if not line.lstrip().startswith("#")]
    return "\n" in between and not "".join(lines).replace("\\", "").strip()


def _finding(source: SourceFile, launch: Command, lost: Sequence[Command], kept: int, program: str) -> Finding:
    between = source.text[launch.span.end : lost[0].span.start]
    comment = _COMMENT.search(between)
    continued = between.lstrip(" \t").startswith("\\\n") or launch.words[-1].text.isspace()
    at = launch.span.end + (comment.end() - 1 if comment else 0)
    why = "a comment" if comment else "a blank line or a blank behind the backslash" if continued else "a line without a backslash"
    flags = sum(1 for command in lost for word in command.words if _FLAG.match(word.text))
    first = lost[0].words[0].text.partition("=")[0]
    return Finding(
        CODE,
        NAME,
        Severity.WARNING if kept else Severity.ERROR,
        Confidence.HIGH,
        f"{why} ends the command: {flags} flag{'s' * (flags != 1)} from {first} on {'do' if flags != 1 else 'does'} not reach {program}"
        + ("" if kept else ", which gets none at all"),
        source.locate(Span(at, at + 1)),
        "a comment goes above the command or behind its last line"
        if comment
        else "end each line but the last with a backslash and nothing behind it",
    )
