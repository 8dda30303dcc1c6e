"""The scripts that a script or a job file starts, with their arguments and the variables in front of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from budgetlint.base.record import open_record
from budgetlint.base.source import SourceFile
from budgetlint.documents import Document
from budgetlint.documents.shell import Command, read_shell
from budgetlint.documents.shell_words import Word
from budgetlint.documents.shell_work import work_of
from budgetlint.launch.blocks import places
from budgetlint.launch.commands import script_named
from budgetlint.launch.jobs import kind_of, request_of, texts, variables
from budgetlint.launch.launch import Request
from budgetlint.launch.read import given_by
from budgetlint.readers.base import is_symbolic

CALLS = "calls"
_NAMED = re.compile(r"(?<![\w.+-])[\w.+-]+\.(?:sh|bash|slurm|sbatch)\b")
_ENDING = re.compile(r"\.(?:sh|bash|slurm|sbatch)\b")
_RUN = re.compile(r"[\w.+-]*")
_BEFORE = frozenset(("nohup", "srun", "time", "exec", "sudo", "env", "then", "do"))


@open_record
class Call:
    """``arguments`` is None where one of them is not literal; ``start`` is where the call stands in its file."""

    path: str
    arguments: tuple[str, ...] | None
    environment: tuple[tuple[str, str], ...] = ()
    start: int = 0


def names_in(text: str) -> frozenset[str]:
    """Base names of scripts that a text mentions. Few texts do, and an ending is found much sooner than a name."""
    found: set[str] = set()
    done = 0
    for ending in _ENDING.finditer(text):
        if ending.start() >= done:
            start = ending.start()
            while start > done and _RUN.fullmatch(text, start - 1, start):
                start -= 1
            done = _RUN.match(text, start).end()  # type: ignore[union-attr]
            found.update(_NAMED.findall(text[start:done]))
    return frozenset(found)


def script_calls(source: SourceFile, arguments: Sequence[str] = (), environment: Mapping[str, str] | None = None) -> Iterator[Call]:
    """The calls of a script that is itself started with these."""
    for command in read_shell(source.text, given=given_by(arguments, environment or {}), work=work_of(source, CALLS, again=True)).commands:
        yield from _call(command, {})


def document_calls(document: Document) -> Iterator[Call]:
    """The calls of a job file, whose variables the script finds set."""
    if not kind_of(document):
        return
    held = variables(document, request_of(document) or Request())
    for word in texts(document):
        for command in read_shell(word.text, given=held, place=places(word).__getitem__, work=work_of(document.source, CALLS)).commands:
            yield from _call(command, held)


def _call(command: Command, around: Mapping[str, Word]) -> Iterator[Call]:
    words = command.words
    while words and words[0].text in _BEFORE:
        words = words[1:]
    script = script_named(words)
    if script is None or is_symbolic(script.text) or not names_in(script.text):
        return
    behind = [word.text for word in words[words.index(script) + 1 :]]
    held = {name: word.text for name, word in (*around.items(), *command.environment.items())}
    told = tuple(sorted(pair for pair in held.items() if not is_symbolic(pair[1])))
    yield Call(script.text, None if any(map(is_symbolic, behind)) else tuple(behind), told, command.span.start)
