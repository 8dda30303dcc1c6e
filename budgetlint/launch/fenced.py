"""The commands that a Markdown text shows in its fenced blocks (CommonMark 0.31, 4.5)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from budgetlint.base.source import SourceFile
from budgetlint.documents.shell_work import work_of
from budgetlint.launch.build import Builder
from budgetlint.launch.launch import Launch
from budgetlint.launch.read import LAUNCHES

_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})[ \t]*([\w+-]*)")
_SHELLS = frozenset(("", "sh", "bash", "shell", "zsh", "console", "shell-session", "text"))


def shown_launches(source: SourceFile) -> tuple[Launch, ...]:
    """The launches in the fenced blocks of a Markdown text. A prompt in front of a command is none of its words."""
    builder = Builder(source, work=work_of(source, LAUNCHES, again=True))
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
