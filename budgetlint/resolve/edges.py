"""Why a file is part of a run: which line of which file names it, by which rule the name leads there, and how sure that is."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from budgetlint.base.record import record

AS_WRITTEN, OWN_FOLDER, ABOVE, BY_NAME = (
    "path as written",
    "path from the file's own folder",
    "path from a folder above",
    "only file of that name",
)
BASE, CALL, BOUND, HOLDS = "base of a config", "call of a script", "config of a budget", "nearest budget above"
COMMAND, OPENED, ACCEPTED, READ = "file of a command", "path in a program's text", "keys that a program takes", "keys that a budget reads"

_SURE, _LIKELY, _ASSUMED = "sure", "likely", "assumed"
CERTAINTY = {
    AS_WRITTEN: _SURE, OWN_FOLDER: _LIKELY, ABOVE: _LIKELY, BY_NAME: _ASSUMED,
    BASE: _SURE, CALL: _SURE, BOUND: _SURE, HOLDS: _SURE, COMMAND: _SURE, OPENED: _LIKELY, ACCEPTED: _ASSUMED, READ: _SURE,
}  # fmt: skip
"""How sure a rule is. A path from the working directory and one from the file's folder differ where the program starts elsewhere; of a
program that has a path in its text, nobody knows what it does with it."""


@record
class Edge:
    """``file`` takes part because ``by`` has ``text`` at ``line`` (0: the file as a whole)."""

    file: str
    by: str
    line: int
    text: str
    rule: str

    @property
    def certainty(self) -> str:
        return CERTAINTY[self.rule]

    def as_json(self) -> dict[str, Any]:
        return {"file": self.by, "line": self.line or None, "text": self.text, "rule": self.rule, "certainty": self.certainty}


def candidates(named_in: str, text: str) -> Iterator[str]:
    """Where a path may lead: from the working directory, from the folder of the file that names it, from those above."""
    yield posixpath.normpath(text)
    if posixpath.isabs(text):
        return
    folder = posixpath.dirname(named_in)
    while folder and folder not in ("/", ".."):
        yield posixpath.normpath(posixpath.join(folder, text))
        folder = posixpath.dirname(folder)


def after_cd(named_in: str, text: str, folder: str) -> Iterator[str]:
    """Where a path may lead from the folder of a ``cd``. One that lies anywhere may be another checkout: below the end of its path."""
    if folder.startswith(("/", "~")) and not posixpath.isabs(text):
        parts = folder.strip("/").split("/")
        yield from (posixpath.normpath(posixpath.join(*parts[at:], text)) for at in range(len(parts)))
    elif folder:
        yield from candidates(named_in, posixpath.join(folder, text))


def beside(named_in: str, program: str, text: str, exists: Callable[[str], bool]) -> str | None:
    """Where an absolute path leads that begins with the folder in which the project lies on somebody's machine. The program of the same
    command tells which that is: its path is one of the project from there on."""
    if not (program.startswith(("/", "~")) and text.startswith(("/", "~"))):
        return None
    for end in (at + 1 for at, sign in enumerate(program) if sign == "/" and text.startswith(program[: at + 1])):
        for here in candidates(named_in, program[end:]):
            if exists(here):
                inside = posixpath.normpath(here.removesuffix(program[end:]) + text[end:])
                return inside if exists(inside) else None
    return None


def rule_of(named_in: str, text: str, path: str) -> str:
    """By which rule a text leads to a path."""
    if path == posixpath.normpath(text):
        return AS_WRITTEN
    if path == posixpath.normpath(posixpath.join(posixpath.dirname(named_in), text)):
        return OWN_FOLDER
    return ABOVE if path in candidates(named_in, text) else BY_NAME


def by_file(edges: Iterable[Edge]) -> dict[str, list[Edge]]:
    """The edges that lead to each file."""
    found: dict[str, list[Edge]] = {}
    for edge in edges:
        found.setdefault(edge.file, []).append(edge)
    return found


def chain(into: Mapping[str, Sequence[Edge]], file: str) -> Iterator[tuple[int, Edge]]:
    """The edges that lead to a file, each with its depth: what names it, then what names that. Whose edges were told is not asked again."""
    seen = {file}
    todo = [(0, edge) for edge in reversed(into.get(file, ()))]
    while todo:
        depth, edge = todo.pop()
        yield depth, edge
        if edge.by not in seen:
            seen.add(edge.by)
            todo.extend((depth + 1, one) for one in reversed(into.get(edge.by, ())))
