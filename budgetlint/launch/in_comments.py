"""The commands that a text shows above its first statement: comments at the head of a config or a script, the docstring of a program.

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
    """The launches that the head of a text shows."""
    text = _head(source)
    if not text:
        return ()
    builder = Builder(source, work=work_of(source, COMMENTS, again=True))
    for start, end in _commands(text):
        builder.script(text, start, end)
    return tuple(builder.found)


def told_calls(source: SourceFile) -> Iterator[Call]:
    """The calls of scripts there."""
    text = _head(source)
    for start, end in _commands(text):
        yield from calls_between(source, start, end, text)


def _head(source: SourceFile) -> str:
    """The comments above the first statement with their marks as blanks, so that every place is the file's; empty where there are none."""
    text = source.text
    if not text.lstrip().startswith(("#", '"""', "'''")):
        return ""
    if source.path.endswith(PYTHON_SUFFIX):
        code = _CODE.search(text)
        end = code.start() if code is not None else len(text)
    else:
        found = _HEAD.match(text)
        end = found.end() if found is not None else 0
    return _MARKS.sub(lambda mark: " " * len(mark[0]), text[: min(end, _MOST)])


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
