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
from budgetlint.files.wanted import SHELL_SUFFIXES
from budgetlint.launch.blocks import places
from budgetlint.launch.commands import script_named, started
from budgetlint.launch.dvc import stages
from budgetlint.launch.jobs import COMPOSE, PIPELINE, WORKFLOW, kind_of, request_of, texts, variables
from budgetlint.launch.launch import Request
from budgetlint.launch.read import given_by, own_name
from budgetlint.launch.services import services, steps
from budgetlint.launch.slurm import submitted
from budgetlint.launch.walk import UNCOUNTED, ShellWalk, Stand
from budgetlint.launch.wrappers import COUNTED, SHELLS, base
from budgetlint.launch.wrappers import variables as variables_of
from budgetlint.readers.base import is_symbolic

CALLS = "calls"
_NAMED = re.compile(r"(?<![\w.+-])[\w.+-]+\.(?:sh|bash|slurm|sbatch)\b")
_ENDING = re.compile(r"\.(?:sh|bash|slurm|sbatch)\b")
_RUN = re.compile(r"[\w.+-]*")
_BEFORE = frozenset(("nohup", "srun", "time", "exec", "sudo", "env", "then", "do"))


@open_record
class Call:
    """``arguments`` holds ``${NAME}`` for what is not known, and is None where nobody knows how many they are; ``start`` is where the
    call stands in its file."""

    path: str
    arguments: tuple[str, ...] | None
    environment: tuple[tuple[str, str], ...] = ()
    start: int = 0
    sourced: bool = False
    """``source FILE``: it shares its variables with the script."""


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
    given, work = {**own_name(source), **given_by(arguments, environment or {})}, work_of(source, CALLS, again=True)
    script = read_shell(source.text, given=given, work=work)
    for command, stand in ShellWalk(source, work).script(script, Stand()):
        yield from _call(command, stand, environment or {})


def calls_between(source: SourceFile, start: int, end: int, text: str = "") -> Iterator[Call]:
    """Those of a part of a text; ``text`` is the source's where marks are blanks in it."""
    work = work_of(source, CALLS)
    for command, stand in ShellWalk(source, work).script(read_shell(text or source.text, start, end, work=work), Stand()):
        yield from _call(command, stand, {})


def document_calls(document: Document) -> Iterator[Call]:
    """The calls of a job file, whose variables the script finds set."""
    if not kind_of(document):
        return
    work = work_of(document.source, CALLS)
    for word, held in _texts(document):
        told = {name: word.text for name, word in held.items()}
        script = read_shell(word.text, given=held, place=places(word).__getitem__, work=work)
        for command, stand in ShellWalk(document.source, work).script(script, Stand()):
            yield from _call(command, stand, told)


def _texts(document: Document) -> Iterator[tuple[Word, Mapping[str, Word]]]:
    """The shell texts of a job file, each with the variables that it finds set."""
    kind = kind_of(document)
    if kind in (COMPOSE, WORKFLOW, PIPELINE):
        every = services(document) if kind == COMPOSE else steps(document) if kind == WORKFLOW else stages(document)
        yield from ((one.text, one.environment) for one in every if one.text is not None)
        return
    held = variables(document, request_of(document) or Request())
    yield from ((word, held) for word in texts(document))


def _call(command: Command, stand: Stand, around: Mapping[str, str]) -> Iterator[Call]:
    words = command.words
    is_sourced = words[0].text in ("source", ".")
    held = {**around, **_held(stand, command.at, every=is_sourced)}
    while words and words[0].text in _BEFORE:
        words = words[1:]
    if command.words[0].text in COUNTED:  # its options stand in front of the script
        words = command.words[next((at for at, word in enumerate(command.words) if _is_shell(word)), 0) :]
    script = script_named(words)
    if script is None or stand.elsewhere or is_symbolic(script.text) or not names_in(script.text):
        return
    at = words.index(script)
    behind = words[at + 1 :]
    if behind and started(behind) is not None:
        return  # it runs what it is given, which is a launch of its own
    wrappers = command.words[: len(command.words) - len(behind) - 1]
    held.update({name: word.text for name, word in (*command.environment.items(), *variables_of(wrappers))})
    if base(words[0]) == "sbatch":
        held.update(submitted(words[:at]))
    told = tuple(sorted(pair for pair in held.items() if not is_symbolic(pair[1])))
    texts = tuple(word.text for word in behind)
    many = any(text in UNCOUNTED for text in texts)
    yield Call(script.text, None if many else texts, told, command.span.start, is_sourced)


def _is_shell(word: Word) -> bool:
    return base(word) in SHELLS or (word.text.endswith(SHELL_SUFFIXES) and not word.text.startswith("-"))


def _held(stand: Stand, at: int, *, every: bool) -> dict[str, str]:
    """What a program finds set: what is exported, and for a sourced script ``every`` variable; ``${NAME}`` for what is not known."""
    script = stand.script
    own = {name: script.value(name, at) for name in script.expander.names} if script is not None and every else {}
    held = {**own, **stand.found_set(at)}
    return {name: word.text if word.is_told else f"${{{name}}}" for name, word in held.items() if word is not None}
