"""The door: every launch of a script, a Makefile, a job document or a command line."""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.documents import Document
from budgetlint.documents.shell import Command, read_shell
from budgetlint.launch.blocks import places
from budgetlint.launch.build import Builder, mentions_launch
from budgetlint.launch.jobs import KUBERNETES, containers, kind_of, request_of, span_of, texts, variables
from budgetlint.launch.launch import Launch, Request
from budgetlint.launch.makefile import is_makefile, read_makefile
from budgetlint.launch.slurm import is_slurm, read_slurm
from budgetlint.source import SourceFile


def script_launches(source: SourceFile) -> tuple[Launch, ...]:
    """The launches of a script, in the order of the text."""
    if not mentions_launch(source.text):
        return ()
    if is_makefile(source.path):
        return _makefile(source)
    builder = Builder(source)
    if is_slurm(source):
        builder.request, builder.job, builder.given = read_slurm(source)
    builder.script(source.text)
    return tuple(builder.found)


def _makefile(source: SourceFile) -> tuple[Launch, ...]:
    builder = Builder(source, make=True)
    script, recipes = read_makefile(source)
    builder.surround(script)
    for span in recipes:
        builder.script(source.text, span.start, span.end)
    return tuple(builder.found)


def document_launches(document: Document) -> tuple[Launch, ...]:
    """The launches of a job document."""
    if not mentions_launch(document.source.text):
        return ()
    kind = kind_of(document)
    return _kubernetes(document) if kind == KUBERNETES else _job(document) if kind else ()


def _job(document: Document) -> tuple[Launch, ...]:
    request = request_of(document)
    builder = Builder(document.source, request, given=variables(document, request or Request()))
    for word in texts(document):
        script = read_shell(word.text, given=builder.given, place=places(word).__getitem__)
        for command in script.commands:
            builder.command(command, script, (), 0)
    return tuple(builder.found)


def _kubernetes(document: Document) -> tuple[Launch, ...]:
    builder = Builder(document.source)
    for words, request in containers(document):
        builder.request = request
        builder.command(Command(words, {}, span_of(words)), None, (), 0)
    return tuple(builder.found)


def command_launches(source: SourceFile) -> tuple[Launch, ...]:
    """The launches of one command line, whose text is the source's."""
    builder = Builder(source)
    builder.script(source.text)
    return tuple(builder.found)


def named_script(source: SourceFile) -> str | None:
    """The script that a command line runs (``bash run.sh``), if it is no launch itself."""
    from budgetlint.launch.commands import script_named

    commands: Sequence[Command] = read_shell(source.text).commands
    word = script_named(commands[-1].words) if commands else None
    return word.text if word is not None and word.known else None
