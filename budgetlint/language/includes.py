"""``include``: the statements of other budgets in the place where they are named, each file once, never in a circle."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path

from budgetlint.base.limits import INCLUDES
from budgetlint.base.record import field, record, state
from budgetlint.base.source import SourceFile, Span, UnreadableFile, read_source
from budgetlint.isolation.boundary import LEADS_OUT
from budgetlint.language.parsing import parse_into
from budgetlint.language.problems import Problems
from budgetlint.language.tree import Item, Statement, Value

MAX_INCLUDES = INCLUDES.most
INSIDE = "include files of this project, by a relative path"

Load = Callable[[str], "SourceFile | UnreadableFile"]


@record
class Placed:
    """A top-level item and the file it stands in."""

    item: Item
    source: SourceFile


@state
class Included:
    """``items`` in reading order, ``paths`` of the files that were included."""

    items: list[Placed] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


def disk(root: str) -> Load:
    """Reads budgets below ``root``; a link that leads out of it is refused."""

    def load(path: str) -> SourceFile | UnreadableFile:
        try:
            inside = Path(path).resolve().is_relative_to(Path(root).resolve())
        except (OSError, RuntimeError):
            return UnreadableFile(path, "cannot be read: a circle of links", "name the file itself")
        if not inside:
            return UnreadableFile(path, LEADS_OUT, INSIDE)
        return read_source(path)

    return load


def gather(source: SourceFile, load: Load, root: str, problems: Problems) -> Included:
    """Every top-level item of a budget and of what it includes. How far a path may lead is for ``load`` to know, and for ``root`` where
    it is given."""
    found = Included()
    _Gatherer(load, _normal(root) if root else "", problems, found, {_normal(source.path)}).walk(source, (_normal(source.path),))
    return found


def _normal(path: str) -> str:
    return posixpath.normpath(path.replace("\\", "/"))


@state
class _Gatherer:
    load: Load
    root: str
    problems: Problems
    found: Included
    seen: set[str]

    def walk(self, source: SourceFile, chain: tuple[str, ...]) -> None:
        for item in parse_into(source, self.problems).items:
            if isinstance(item, Statement) and item.keyword == "include":
                self._include(item, source, chain)
            self.found.items.append(Placed(item, source))

    def _include(self, statement: Statement, source: SourceFile, chain: tuple[str, ...]) -> None:
        value = statement.values[0] if len(statement.values) == 1 else None
        if not isinstance(value, Value) or value.kind == "ref" or self.problems.full:
            return
        path = self._path(value, source)
        if path is None:
            return
        if path in chain:
            circle = " -> ".join((*chain[chain.index(path) :], path))
            self._bad(source, value.span, f"'{value.content}' leads in a circle: {circle}", "remove one include of the circle")
        elif len(chain) > MAX_INCLUDES:
            self._bad(source, value.span, f"includes go more than {MAX_INCLUDES} deep", "include the file directly")
        elif path not in self.seen:
            self._read(path, value, source, chain)

    def _read(self, path: str, value: Value, source: SourceFile, chain: tuple[str, ...]) -> None:
        self.seen.add(path)
        text = self.load(path)
        if isinstance(text, UnreadableFile):
            self._bad(source, value.span, f"'{value.content}' {text.problem}", INSIDE if text.problem == LEADS_OUT else text.cure)
            return
        self.found.paths.append(path)
        self.walk(text, (*chain, path))

    def _path(self, value: Value, source: SourceFile) -> str | None:
        """The path relative to the including file; None after refusing one that cannot be inside the project."""
        text = value.content.replace("\\", "/")
        if not text.strip() or "\0" in text or len(text) > 1000:
            self._bad(source, value.span, "this is no path", 'include "team.budget"')
            return None
        path = _normal(posixpath.join(posixpath.dirname(source.path.replace("\\", "/")), text))
        if text.startswith(("/", "~")) or re.match(r"[A-Za-z][\w+.-]*:", text):
            self._bad(source, value.span, f"'{value.content}' is no relative path", INSIDE)
            return None
        if self.root and not path.startswith(self.root + "/"):
            self._bad(source, value.span, f"'{value.content}' {LEADS_OUT}", INSIDE)
            return None
        return path

    def _bad(self, source: SourceFile, span: Span, message: str, help: str) -> None:
        self.problems.add("BL009", source, span, message, help, key="include")
