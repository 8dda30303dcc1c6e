"""The commands that a Markdown text shows in its blocks of code (CommonMark 0.31, 4.4 and 4.5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from budgetlint.base.source import SourceFile
from budgetlint.documents.shell_work import work_of
from budgetlint.launch.build import Builder
from budgetlint.launch.calls import Call, calls_between
from budgetlint.launch.launch import Launch
from budgetlint.launch.read import LAUNCHES

_FENCE = re.compile(r"[ ]*(`{3,}|~{3,})[ \t]*([\w+-]*)")
_SHELLS = frozenset(
    ("", "sh", "bash", "shell", "shellscript", "zsh", "console", "terminal", "shell-session", "bash-session", "sh-session", "text", "txt")
)


def shown_launches(source: SourceFile) -> tuple[Launch, ...]:
    """The launches in the fenced blocks of a Markdown text. A prompt in front of a command is none of its words; one with ``<model>`` for a
    word counts only where no other shows how the program is started."""
    builder = Builder(source, work=work_of(source, LAUNCHES, again=True))
    for start, end in _shells(source.text):
        for first, last in _commands(source.text, start, end):
            builder.script(source.text, first, last)
    real = {launch.program.program for launch in builder.found if not _is_syntax(word.text for word in launch.words)}
    every = (launch for launch in builder.found if launch.program.program not in real or not _is_syntax(one.text for one in launch.words))
    return tuple(every)


def shown_calls(source: SourceFile) -> Iterator[Call]:
    """The calls of scripts there; one with ``<model>`` says what a script takes."""
    for start, end in _shells(source.text):
        for first, last in _commands(source.text, start, end):
            yield from (call for call in calls_between(source, first, last) if not _is_syntax(call.arguments or ()))


_SYNTAX = re.compile(r"<[A-Za-z][\w ./|-]*>")


def _is_syntax(words: Iterable[str]) -> bool:
    return any(map(_SYNTAX.search, words))


def _shells(text: str) -> Iterator[tuple[int, int]]:
    blocks = (*_blocks(text), *(("", start, end) for start, end in _indented(text)))
    yield from ((start, end) for language, start, end in sorted(blocks, key=lambda one: one[1]) if language in _SHELLS)


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


def _indented(text: str) -> Iterator[tuple[int, int]]:
    """Blocks that four blanks make, behind an empty line; what follows the item of a list is its own text."""
    at, begins, blank, item, fence = 0, -1, True, False, ""
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        line, found = text[at:end], _FENCE.match(text, at, end)
        if found is not None and (not fence or found[1].startswith(fence)):
            fence = "" if fence else found[1]
        inside = not fence and line.startswith("    ") and not item and (blank or begins >= 0) and bool(line.strip())
        if begins >= 0 and not inside and line.strip():
            yield begins, at
        begins = (begins if begins >= 0 else at) if inside or (begins >= 0 and not line.strip()) else -1
        if line.strip() and not line.startswith(" "):
            item = bool(_ITEM.match(line))
        blank, at = not line.strip(), end
    if begins >= 0:
        yield begins, len(text)


_ITEM = re.compile(r"[-*+] |\d{1,9}[.)] ")


def _commands(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The whole block, or each command behind a prompt."""
    prompts = list(_PROMPT.finditer(text, start, end))
    if not prompts:
        yield start, end
    for prompt in prompts:
        yield prompt.end(), _end_of_command(text, prompt.end(), end)


_PROMPT = re.compile(r"^[ ]*\$[ ]+", re.MULTILINE)


def _end_of_command(text: str, start: int, end: int) -> int:
    """The end of the line, with the lines that continue it."""
    at = text.find("\n", start, end)
    while at > 0 and text[at - 1] == "\\":
        at = text.find("\n", at + 1, end)
    return at if at >= 0 else end
