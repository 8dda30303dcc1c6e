"""The door: every launch of a script, a Makefile, a Dockerfile, a job document or a command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from budgetlint.base.limits import CONTAINERS
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents import Document
from budgetlint.documents.shell import Command, Script, read_shell
from budgetlint.documents.shell_words import Atom, Word
from budgetlint.documents.shell_work import work_of
from budgetlint.files.wanted import NOTEBOOK_SUFFIX
from budgetlint.language.budget import CONFIG, LaunchLine
from budgetlint.launch.build import Builder, starts_something
from budgetlint.launch.dockerfile import is_dockerfile, read_dockerfile
from budgetlint.launch.dvc import stages
from budgetlint.launch.jobs import (
    COMPOSE,
    JOB,
    KUBERNETES,
    PIPELINE,
    SKYPILOT,
    WORKFLOW,
    containers,
    kind_of,
    request_of,
    span_of,
    texts,
    variables,
)
from budgetlint.launch.launch import Launch, Request
from budgetlint.launch.makefile import is_makefile, read_makefile
from budgetlint.launch.services import Service, services, steps
from budgetlint.launch.slurm import array_tasks, is_slurm, over_lines, read_slurm
from budgetlint.readers.base import is_symbolic


def script_launches(source: SourceFile, arguments: Sequence[str] = (), environment: Mapping[str, str] | None = None) -> tuple[Launch, ...]:
    """The launches of a script, in the order of the text; ``arguments`` and ``environment`` are those that it is started with."""
    return started_launches(source, ((arguments, environment or {}),))


Start = tuple[Sequence[str], Mapping[str, str]]
"""The arguments and variables that a script is started with."""


def started_launches(
    source: SourceFile, starts: Sequence[Start], sourced: Sequence[tuple[int, SourceFile]] = (), *, library: bool = False
) -> tuple[Launch, ...]:
    """The launches of a script that is started in several ways. ``sourced`` are the scripts that it sources, each with where; a
    ``library`` is sourced by others."""
    if not starts_something(source) and not any(starts_something(one) for _, one in sourced):
        return ()
    work_of(source, LAUNCHES, again=True)
    if is_makefile(source.path):
        return _makefile(source)
    if is_dockerfile(source.path):
        return _dockerfile(source)
    builder = _builder(source)
    if is_slurm(source):
        builder.request, builder.job, builder.given = read_slurm(source)
    builder.sourced, builder.library = sourced, library
    job, tasks = builder.given, tuple(array_tasks(source))
    lines = builder.request, builder.job
    for arguments, environment in starts:
        builder.request, builder.job = over_lines(source, environment, *lines)
        for task in tasks:
            builder.given = {**own_name(source), **job, **task, **given_by(arguments, environment)}
            builder.environment = {**task, **given_by((), environment)}
            builder.way = tuple(f"{name}={word.text}" for name, word in task.items())
            builder.script(source.text)
        builder.times += 1
    return tuple(builder.found)


LAUNCHES = "launches"


def _builder(source: SourceFile) -> Builder:
    return Builder(source, work=work_of(source, LAUNCHES))


def given_by(arguments: Sequence[str], environment: Mapping[str, str]) -> dict[str, Word]:
    """``$1``, ``$2``, ... and variables: they do not stand in the script, so what they bring in is shown where it uses them."""
    held = {**environment, **{str(number): text for number, text in enumerate(arguments, 1)}}
    if arguments:
        held["#"] = str(len(arguments))
    return {name: _given_word(text) for name, text in held.items()}


def _given_word(text: str) -> Word:
    told = not is_symbolic(text)
    return Word(text, Span(0, 0), told, (Atom(text, 0, known=False, told=told),))


def own_name(source: SourceFile) -> dict[str, Word]:
    """``$0``: the script's path. Slurm runs a copy that lies elsewhere, and a notebook's commands are no script."""
    is_copied = is_slurm(source) or source.path.endswith(NOTEBOOK_SUFFIX)
    return {} if is_copied or not source.path else given_by((), {"0": source.path})


def _makefile(source: SourceFile) -> tuple[Launch, ...]:
    builder = _builder(source)
    builder.make = True
    script, recipes = read_makefile(source, builder.work)
    builder.surround(script)
    for span in recipes:
        builder.script(source.text, span.start, span.end)
    return tuple(builder.found)


def _dockerfile(source: SourceFile) -> tuple[Launch, ...]:
    builder = _builder(source)
    image = read_dockerfile(source, builder.work)
    builder.given = image.variables
    for span in image.scripts:
        builder.script(source.text, span.start, span.end)
    if image.command is not None:
        builder.command(image.command)
    return tuple(builder.found)


def document_launches(document: Document) -> tuple[Launch, ...]:
    """The launches of a job document."""
    if LAUNCHES not in document.facts:  # what kind of file it is asks too
        kind = kind_of(document) if starts_something(document.source) else ""
        document.facts[LAUNCHES] = _READS[kind](document) if kind else ()
    found: tuple[Launch, ...] = document.facts[LAUNCHES]
    return found


def _job(document: Document) -> tuple[Launch, ...]:
    request = request_of(document)
    builder = _builder(document.source)
    builder.request, builder.given = request, variables(document, request or Request())
    builder.environment = builder.given
    _texts(builder, document)
    return tuple(builder.found)


def _texts(builder: Builder, document: Document) -> None:
    for word in texts(document):
        builder.text(word)


def _kubernetes(document: Document) -> tuple[Launch, ...]:
    builder = _builder(document.source)
    for number, (words, request, environment) in enumerate(containers(document)):
        if number >= CONTAINERS.most:
            builder.work.stop(CONTAINERS, words[0].span.start)
            break
        builder.request, builder.given, builder.environment = request, environment, environment
        builder.command(Command(words, {}, span_of(words)))
    builder.request, builder.given, builder.environment = None, {}, {}
    _texts(builder, document)
    return tuple(builder.found)


def _services(document: Document) -> tuple[Launch, ...]:
    builder = _builder(document.source)
    for number, one in enumerate(_STARTED[kind_of(document)](document)):
        if number >= CONTAINERS.most:
            builder.work.stop(CONTAINERS, 0)
            break
        builder.request, builder.given, builder.environment = one.request, one.environment, one.environment
        if one.text is not None:
            builder.text(one.text)
        elif one.words:
            builder.command(Command(one.words, {}, span_of(one.words)))
    return tuple(builder.found)


_STARTED: Mapping[str, Callable[[Document], Iterator[Service]]] = {COMPOSE: services, WORKFLOW: steps, PIPELINE: stages}
_READS: Mapping[str, Callable[[Document], tuple[Launch, ...]]] = {
    KUBERNETES: _kubernetes, COMPOSE: _services, WORKFLOW: _services, PIPELINE: _services, SKYPILOT: _job, JOB: _job,
}  # fmt: skip


def budget_launches(builder: Builder, line: LaunchLine, config: str = "") -> tuple[Launch, ...]:
    """The launches of a `launch` statement; ``config`` is what `{config}` stands for. ``builder`` is of the file that the statement
    stands in, so that all commands of a budget count together."""
    before = len(builder.found)
    script = _of_budget(builder, line)
    for command in script.commands:
        words = tuple(_with_config(word, config) for word in command.words)
        environment = {name: _with_config(word, config) for name, word in command.environment.items()}
        builder.command(Command(words, environment, command.span), script)
    return tuple(builder.found[before:])


def budget_script(builder: Builder, line: LaunchLine, config: str = "") -> tuple[str, tuple[str, ...]] | None:
    """The script that a `launch` statement runs, and its arguments."""
    commands = _of_budget(builder, line).commands
    return _script_of([_with_config(word, config) for word in commands[-1].words] if commands else ())


def _of_budget(builder: Builder, line: LaunchLine) -> Script:
    return read_shell(line.source.text, line.span.start, line.span.end, given=builder.given, work=builder.work)


def _with_config(word: Word, config: str) -> Word:
    """Where the path itself stands is another file's concern: the word keeps the place of `{config}`."""
    return Word(word.text.replace(CONFIG, config), word.span, word.known) if CONFIG in word.text else word


def command_launches(source: SourceFile) -> tuple[Launch, ...]:
    """The launches of one command line, whose text is the source's."""
    builder = Builder(source)
    builder.script(source.text)
    return tuple(builder.found)


def named_script(source: SourceFile) -> tuple[str, tuple[str, ...]] | None:
    """The script that a command line runs (``bash run.sh 7b``) and its arguments, if it is no launch itself."""
    commands: Sequence[Command] = read_shell(source.text).commands
    return _script_of(commands[-1].words if commands else ())


def _script_of(words: Sequence[Word]) -> tuple[str, tuple[str, ...]] | None:
    from budgetlint.launch.commands import script_named

    word = script_named(words)
    if word is None or not word.known:
        return None
    return word.text, tuple(one.text for one in words[words.index(word) + 1 :])
