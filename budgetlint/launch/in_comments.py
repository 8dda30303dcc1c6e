"""The commands that a text shows above its first statement: comments at the head of a config or a script, the docstring of a program; of a
program those below its last statement too.

Prose stands there too: a command begins a line, or stands behind a colon, a prompt or a backtick, and one with a placeholder
(``<config>``, ``[options]``, ``...``) is nobody's command line. Who uses them asks whether what they name is here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from budgetlint.base.expression import expression
from budgetlint.base.source import SourceFile
from budgetlint.documents.shell_work import work_of
from budgetlint.files.wanted import PYTHON_SUFFIX
from budgetlint.launch.build import Builder
from budgetlint.launch.calls import Call, calls_between
from budgetlint.launch.launch import Launch

COMMENTS = "comments"
_HEAD = expression(r"\A(?:[ \t]*(?:#[^\n]*)?(?:\n|\Z))+")
_CODE = expression(r"^(?:import|from|def|class|if|@)\b|^\w+ *=", re.MULTILINE)
_MARKS = expression(r"^[ \t]*#+!?|\"\"\"|'''", re.MULTILINE)
_MOST = 8192
"""Characters of a head that are looked at: the longest of the corpus is a licence with a manual behind it."""
_COMMAND = expression(
    r"(?:^|[:`>$])[ \t]*(?:[-*] |\d{1,2}[.)] )?(?P<command>(?:[A-Z][A-Z0-9_]{0,40}=[^\s`]{0,80}[ \t]+){0,4}"
    r"(?:uv run |srun )?(?:python3?(?: -m| -u)?|torchrun|accelerate launch|deepspeed|composer|tune run|axolotl train|llamafactory-cli train"
    r"|swift \w+|bash|sh|sbatch)[ \t]+[\w./$\"'{-][^\n`]*)",
    re.MULTILINE,
)
_PLACEHOLDER = expression(r"[<>\[\]]|\.\.\.|…")


def told_launches(source: SourceFile) -> tuple[Launch, ...]:
    """The launches that the head of a text shows, and the end of a program."""
    text = _shown(source)
    if not text:
        return ()
    builder = Builder(source, work=work_of(source, COMMENTS, again=True))
    for start, end in _commands(text):
        builder.script(text, start, end)
    return tuple(builder.found)


def told_calls(source: SourceFile) -> Iterator[Call]:
    """The calls of scripts there."""
    text = _shown(source)
    for start, end in _commands(text):
        yield from calls_between(source, start, end, text)


def _shown(source: SourceFile) -> str:
    """The comments above the first statement, and of a program those below the last one, with their marks as blanks and line ends for all
    that stands between, so that every place is the file's; empty where there are none."""
    text, is_program = source.text, source.path.endswith(PYTHON_SUFFIX)
    end = _head(text, is_program=is_program) if text.lstrip().startswith(("#", *_QUOTES)) else 0
    start = max(end, _tail(text)) if is_program else len(text)
    head, tail = text[: min(end, _MOST)], text[start:]
    return _MARKS.sub(lambda mark: " " * len(mark[0]), head + "\n" * (start - len(head)) + tail if tail else head)


def _head(text: str, *, is_program: bool) -> int:
    """Where the first statement stands."""
    if is_program:
        code = _CODE.search(text)
        return code.start() if code is not None else len(text)
    found = _HEAD.match(text)
    return found.end() if found is not None else 0


def _tail(text: str) -> int:
    """Where the comments and texts begin that stand below the last statement of a program."""
    before = max(0, len(text) - _MOST)
    text = text[before:]
    end = len(text)
    while True:
        at = len(text[:end].rstrip())
        mark = text[max(0, at - 3) : at]
        begins = text.rfind("\n", 0, at) + 1
        if not text.startswith("#", begins):
            begins = text.rfind(mark, 0, at - 3) if mark in _QUOTES else -1
        is_line = begins == 0 or (begins > 0 and text[begins - 1] == "\n")
        if begins >= end or not is_line or (before and not begins):
            return before + end
        end = begins


_QUOTES = ('"""', "'''")


def _commands(text: str) -> Iterator[tuple[int, int]]:
    """Where each command begins and ends, with the lines that continue it."""
    done = 0
    for found in _COMMAND.finditer(text):
        start, end = found.span("command")
        while text[:end].rstrip(" \t").endswith("\\") and end < len(text):
            end = text.find("\n", end + 1)
            end = end if end >= 0 else len(text)
        if start >= done and _PLACEHOLDER.search(text, start, end) is None:
            done = end
            yield start, end
