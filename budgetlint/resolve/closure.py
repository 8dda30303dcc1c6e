"""Does a program train anything? A look at the text of the modules that it imports, before it is followed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from budgetlint.base.expression import expression
from budgetlint.base.record import field, open_state
from budgetlint.base.source import SourceFile
from budgetlint.program.modules import PROGRAMS, Module, Modules, Trees

MOST_MODULES = 400
"""Modules that are looked at; all of a copy of LLaMA-Factory has 160."""

_TRAINS = expression(r"\w*Trainer\b|\.backward\(|deepspeed\.initialize|\binstantiate\(")
_IMPORT = expression(
    r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]{0,4000}\)|[^\n#]{0,1000})|import[ \t]+([\w., \t]{1,1000}))", re.MULTILINE
)
_WORD = expression(r"\w+")
_NOTHING = ast.Module(body=[], type_ignores=[])


class NotedTrees(Trees):
    """Trees that tell the project's files each text that a program asked for, also where it was parsed before."""

    def tree(self, path: str) -> ast.Module | None:
        self.files.source(path)
        return super().tree(path)


@open_state
class Closures:
    """Asked of each entry file once."""

    trees: Trees
    _known: dict[str, bool] = field(default_factory=dict)
    _words: dict[str, frozenset[str]] = field(default_factory=dict)
    _packages: dict[str, frozenset[str]] = field(default_factory=dict)

    def trains(self, entry: str) -> bool:
        """Does the entry file, or a module that it imports, name what trains?"""
        if entry not in self._known:
            self._known[entry] = any(_names_training(source) for source in self._sources(entry))
        return self._known[entry]

    def words(self, entry: str) -> frozenset[str]:
        """The words of its text and of what it imports."""
        if entry not in self._words:
            self._words[entry] = frozenset().union(*(_words(source) for source in self._sources(entry)))
        return self._words[entry]

    def packages(self, entry: str) -> frozenset[str]:
        """The packages that it imports, and none of the project's own modules."""
        if entry not in self._packages:
            modules = Modules(self.trees, entry)
            found = {(path, name.partition(".")[0]) for path, source in self._by_path(entry) for name, _ in _names_of(source)}
            named = ((Module("", path, _NOTHING), name) for path, name in found if name)
            self._packages[entry] = frozenset(name for here, name in named if _place(modules, here, name, "") is None)
        return self._packages[entry]

    def _sources(self, entry: str) -> Iterator[SourceFile]:
        return (source for _, source in self._by_path(entry))

    def _by_path(self, entry: str) -> Iterator[tuple[str, SourceFile]]:
        modules = Modules(self.trees, entry)
        waiting, seen = [entry], {entry}
        while waiting and len(seen) <= MOST_MODULES:
            path = waiting.pop()
            source = self.trees.files.source(path) if path.endswith(PROGRAMS) else None
            if source is None:
                continue
            yield path, source
            found = [one for one in _imported(modules, path, source) if one not in seen]
            seen.update(found)
            waiting += found


def _names_training(source: SourceFile) -> bool:
    if "trains" not in source.facts:
        source.facts["trains"] = _TRAINS.search(source.text) is not None
    return bool(source.facts["trains"])


def _words(source: SourceFile) -> frozenset[str]:
    if "words" not in source.facts:
        source.facts["words"] = frozenset(_WORD.findall(source.text))
    found: frozenset[str] = source.facts["words"]
    return found


def _imported(modules: Modules, path: str, source: SourceFile) -> list[str]:
    """The files of the project that a module imports."""
    names = _names_of(source)
    here = Module("", path, _NOTHING)
    found = (_place(modules, here, dotted, name) for dotted, name in names)
    return [one for one in dict.fromkeys(found) if one is not None]


def _names_of(source: SourceFile) -> tuple[tuple[str, str], ...]:
    if "imports" not in source.facts:
        source.facts["imports"] = tuple(dict.fromkeys(_names(source.text)))
    found: tuple[tuple[str, str], ...] = source.facts["imports"]
    return found


def _names(text: str) -> Iterator[tuple[str, str]]:
    """Each dotted name that is imported, and each with a name of it, which may be a module."""
    for match in _IMPORT.finditer(text):
        if match[3]:
            yield from ((one.split()[0], "") for one in match[3].split(",") if one.strip())
        else:
            yield match[1], ""
            yield from ((match[1], name) for name in _WORD.findall(match[2])[:200])


def _place(modules: Modules, here: Module, dotted: str, name: str) -> str | None:
    level = len(dotted) - len(dotted.lstrip("."))
    whole = ".".join(part for part in (dotted[level:], name) if part)
    return modules.relative(here, whole, level) if level else modules.absolute(whole)
