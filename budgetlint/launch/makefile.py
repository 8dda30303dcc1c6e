"""Makefile recipes as shell text, make's own variables expanded. Source: GNU make 4.4 manual, 5 (recipes) and 6 (variables)."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.expression import expression
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents.shell import Script
from budgetlint.documents.shell_assignment import Assignment
from budgetlint.documents.shell_expand import Expander
from budgetlint.documents.shell_lexer import Lexer
from budgetlint.documents.shell_words import RawWord
from budgetlint.documents.shell_work import ShellWork

NAMES = frozenset(("makefile", "gnumakefile"))
_VARIABLE = expression(r"(?:export[ ]+|override[ ]+)*([A-Za-z_][\w.-]*)[ \t]*(\+|\?|::?:?)?=[ \t]*")
_CONDITION = expression(r"[ ]*(ifeq|ifneq|ifdef|ifndef)\b")
_END = expression(r"[ ]*endif\b")


def is_makefile(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return name in NAMES or name.endswith(".mk")


def read_makefile(source: SourceFile, work: ShellWork) -> tuple[Script, tuple[Span, ...]]:
    """The variables, as a script without commands, and where each recipe line stands (behind ``@``, ``-`` and ``+``)."""
    assignments: list[Assignment] = []
    recipes: list[Span] = []
    depth = 0
    for start, end in logical_lines(source.text):
        if not work.reads(start):
            break
        if source.text.startswith("\t", start):
            recipes.append(Span(_behind_marks(source.text, start + 1, end), end))
            continue
        depth += bool(_CONDITION.match(source.text, start, end)) - bool(_END.match(source.text, start, end))
        found = _VARIABLE.match(source.text, start, end)
        if found is not None:
            parts = Lexer(source.text, found.end(), end, make=True, work=work).default_parts()
            word = RawWord(parts, Span(found.end(), max(found.end(), end)))
            assignments.append(Assignment(found[1], (word,), depth > 0, found[2] == "+"))
    return Script((), Expander(assignments, {}, work, ordered=False)), tuple(recipes)


def logical_lines(text: str) -> Iterator[tuple[int, int]]:
    """Lines with their continuations, without the line end."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        while end > 0 and text[end - 1] == "\\":
            end = text.find("\n", end + 1)
        end = end if end >= 0 else len(text)
        yield start, end
        start = end + 1


def _behind_marks(text: str, start: int, end: int) -> int:
    while start < end and text[start] in "@-+ \t":
        start += 1
    return start
