"""The door: every launch of a script, a Makefile, a Dockerfile, a job document or a command line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from budgetlint.documents import Document
from budgetlint.documents.shell import Command, read_shell
from budgetlint.documents.shell_words import Atom, Word
from budgetlint.launch.blocks import places
from budgetlint.launch.build import Builder, mentions_launch
from budgetlint.launch.dockerfile import is_dockerfile, read_dockerfile
from budgetlint.launch.jobs import KUBERNETES, containers, kind_of, request_of, span_of, texts, variables
from budgetlint.launch.launch import Launch, Request
from budgetlint.launch.makefile import is_makefile, read_makefile
from budgetlint.launch.slurm import is_slurm, read_slurm
from budgetlint.source import SourceFile, Span


def script_launches(source: SourceFile, arguments: Sequence[str] = (), environment: Mapping[str, str] | None = None) -> tuple[Launch, ...]:
    """The launches of a script, in the order of the text; ``arguments`` and ``environment`` are those that it is started with."""
    if not mentions_launch(source.text):
        return ()
    if is_makefile(source.path):
        return _makefile(source)
    if is_dockerfile(source.path):
        return _dockerfile(source)
    builder = Builder(source)
    if is_slurm(source):
        builder.request, builder.job, builder.given = read_slurm(source)
    builder.given = {**builder.given, **given_by(arguments, environment or {})}
    builder.script(source.text)
    return tuple(builder.found)


_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})[ \t]*([\w+-]*)")
_SHELLS = frozenset(("", "sh", "bash", "shell", "zsh", "console", "shell-session", "text"))


def shown_launches(source: SourceFile) -> tuple[Launch, ...]:
    """The launches in the fenced blocks of a Markdown text. A prompt in front of a command is none of its words."""
    builder = Builder(source)
    for language, start, end in _blocks(source.text):
        if language in _SHELLS:
            _shown_block(builder, source.text, start, end)
    return tuple(builder.found)


def _blocks(text: str) -> Iterator[tuple[str, int, int]]:
    """The fenced blocks: the word behind the fence, and where their lines begin and end (CommonMark 0.31, 4.5)."""
    fence, language, start, at = "", "", 0, 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        found = _FENCE.match(text, at, end)
        if found is not None and not fence:
            fence, language, start = found[1], found[2].lower(), end
        elif found is not None and found[1].startswith(fence):
            yield language, start, at
            fence = ""
        at = end


def _shown_block(builder: Builder, text: str, start: int, end: int) -> None:
    prompts = list(_PROMPT.finditer(text, start, end))
    if not prompts:
        builder.script(text, start, end)
    for prompt in prompts:
        builder.script(text, prompt.end(), _end_of_command(text, prompt.end(), end))


_PROMPT = re.compile(r"^[ ]*\$[ ]+", re.MULTILINE)


def _end_of_command(text: str, start: int, end: int) -> int:
    """The end of the line, with the lines that continue it."""
    at = text.find("\n", start, end)
    while at > 0 and text[at - 1] == "\\":
        at = text.find("\n", at + 1, end)
    return at if at >= 0 else end


def given_by(arguments: Sequence[str], environment: Mapping[str, str]) -> dict[str, Word]:
    """``$1``, ``$2``, ... and variables: they do not stand in the script, so what they bring in is shown where it uses them."""
    held = {**environment, **{str(number): text for number, text in enumerate(arguments, 1)}}
    return {name: Word(text, Span(0, 0), True, (Atom(text, 0, known=False),)) for name, text in held.items()}


def _makefile(source: SourceFile) -> tuple[Launch, ...]:
    builder = Builder(source, make=True)
    script, recipes = read_makefile(source)
    builder.surround(script)
    for span in recipes:
        builder.script(source.text, span.start, span.end)
    return tuple(builder.found)


def _dockerfile(source: SourceFile) -> tuple[Launch, ...]:
    image = read_dockerfile(source)
    builder = Builder(source, given=image.variables)
    for span in image.scripts:
        builder.script(source.text, span.start, span.end)
    if image.command is not None:
        builder.command(image.command, None, (), 0)
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
    _texts(builder, document)
    return tuple(builder.found)


def _texts(builder: Builder, document: Document) -> None:
    for word in texts(document):
        script = read_shell(word.text, given=builder.given, place=places(word).__getitem__)
        for command in script.commands:
            builder.command(command, script, (), 0)


def _kubernetes(document: Document) -> tuple[Launch, ...]:
    builder = Builder(document.source)
    for words, request in containers(document):
        builder.request = request
        builder.command(Command(words, {}, span_of(words)), None, (), 0)
    builder.request = None
    _texts(builder, document)
    return tuple(builder.found)


def command_launches(source: SourceFile) -> tuple[Launch, ...]:
    """The launches of one command line, whose text is the source's."""
    builder = Builder(source)
    builder.script(source.text)
    return tuple(builder.found)


def named_script(source: SourceFile) -> tuple[str, tuple[str, ...]] | None:
    """The script that a command line runs (``bash run.sh 7b``) and its arguments, if it is no launch itself."""
    from budgetlint.launch.commands import script_named

    commands: Sequence[Command] = read_shell(source.text).commands
    words = commands[-1].words if commands else ()
    word = script_named(words)
    if word is None or not word.known:
        return None
    return word.text, tuple(one.text for one in words[words.index(word) + 1 :])
