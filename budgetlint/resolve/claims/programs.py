"""The programs of a project that train something, and the files that they open: a path that stands there as text."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from budgetlint.base.expression import expression
from budgetlint.base.record import open_state
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents import load
from budgetlint.files.wanted import NOTEBOOK_SUFFIX, PYTHON_SUFFIX, is_named, is_readme, trains
from budgetlint.resolve.claims.launches import Launches
from budgetlint.resolve.file_entries import SCRIPT_SUFFIXES, is_script, script_entry
from budgetlint.resolve.file_kinds import job_kind, job_launches
from budgetlint.resolve.state import Assembly
from budgetlint.settings.consumer import OPENED, Consumer

if TYPE_CHECKING:
    from budgetlint.launch import Launch

_PATH = expression(r"""["']([^"'\s\\]{1,200}\.(?:ya?ml|json|toml))\\?["']""")
"""A text in quotes, which a notebook's JSON escapes."""
_TRAINS = expression(r"train|tune|sft|dpo|grpo|ppo|rlhf", re.IGNORECASE)


def tells(path: str) -> bool:
    """Is it a file that may say who reads others: a program, a notebook, a script, a README?"""
    return path.endswith((PYTHON_SUFFIX, NOTEBOOK_SUFFIX, *SCRIPT_SUFFIXES)) or is_readme(path) or is_named(path.rpartition("/")[2])


@open_state
class Programs:
    """What trains in a project: what its launches start, and what its own code says."""

    work: Assembly
    started: Launches

    @cached_property
    def all(self) -> tuple[tuple[Consumer, str], ...]:
        """The programs of the project that train, each with the format of a known one."""
        return (*self._launched(), *self._written())

    def near(self, path: str) -> tuple[tuple[Consumer, str], ...]:
        """Those that may read a file: a budget speaks of its own folder only."""
        return (*self.all, *(found for folder, found in self._of_budgets if not folder or path.startswith(f"{folder}/")))

    @cached_property
    def _of_budgets(self) -> tuple[tuple[str, tuple[Consumer, str]], ...]:
        entries = [entry for entry in self.work.project.entries.values() if entry.started]
        return tuple((posixpath.dirname(entry.path), found) for entry in entries for found in self._training(entry.launches))

    def _launched(self) -> Iterator[tuple[Consumer, str]]:
        return self._training(self._launches())

    def _training(self, launches: Iterable[Launch]) -> Iterator[tuple[Consumer, str]]:
        for launch in launches:
            row = self.started.row(launch)
            if row is not None or launch.configs or _TRAINS.search(posixpath.basename(launch.program.program)):
                yield self.started.by(launch), row.format if row else ""

    def _launches(self) -> Iterator[Launch]:
        """Of every script, also of those that are not read because only some files are asked about."""
        project = self.work.project
        for entry in list(project.entries.values()):
            yield from (*(() if entry.started else entry.launches), *entry.commands)
        for path in project.listed:
            asked = path not in project.entries and (tells(path) or path.endswith((".yaml", ".yml")))
            source = project.files.read(path) if asked else None
            if isinstance(source, SourceFile):
                yield from _launches_in(source)

    def _written(self) -> Iterator[tuple[Consumer, str]]:
        for source in self.scripts:
            if trains(source.text.encode("utf-8", "replace")):
                yield Consumer(source.path, OPENED, source.path, 1, followed=False), ""

    @cached_property
    def scripts(self) -> tuple[SourceFile, ...]:
        """The programs and notebooks of the project whose text is looked at."""
        project = self.work.project
        paths = dict.fromkeys((*project.entries, *project.listed))
        read = (project.files.read(path) for path in paths if path.endswith((PYTHON_SUFFIX, NOTEBOOK_SUFFIX)))
        return tuple(source for source in read if isinstance(source, SourceFile))

    @cached_property
    def literals(self) -> dict[str, list[tuple[str, SourceFile, int]]]:
        """The texts of the programs that may be paths of configs, by the last part: the text, and where it stands."""
        found: dict[str, list[tuple[str, SourceFile, int]]] = {}
        for source in self.scripts:
            for literal in _PATH.finditer(source.text):
                found.setdefault(posixpath.basename(literal[1]), []).append((literal[1], source, literal.start()))
        return found

    def opener(self, path: str) -> Consumer | None:
        """The program that has the path of a file, or its name where that is the only one, in a text of its own."""
        name = posixpath.basename(path)
        alone = len(self.work.project.names.get(name, ())) < 2
        for text, source, at in self.literals.get(name, ()):
            if _ends_like(path, text, alone):
                place = source.locate(Span(at, at))
                return Consumer(source.path, OPENED, source.path, place.line, followed=False)
        return None


def _launches_in(source: SourceFile) -> Iterator[Launch]:
    """Of a script, a README, or a job file."""
    if is_readme(source.path):
        from budgetlint.launch.fenced import shown_launches

        yield from shown_launches(source)
    elif is_script(source.path, source):
        yield from script_entry(source).launches
    elif _JOB.search(source.text):
        for document in load(source):
            yield from job_launches(document) if job_kind(document) else ()


_JOB = expression(r"^(?:run|command|entrypoint|apiVersion|resources|stages)\s*:", re.MULTILINE)


def _ends_like(path: str, text: str, alone: bool) -> bool:
    """Does a literal lead to the path: by its folders, or by a name that is the only one?"""
    wanted = posixpath.normpath(text.lstrip("/")).replace("../", "")
    if "/" in wanted and (path == wanted or path.endswith(f"/{wanted}")):
        return True
    return alone and posixpath.basename(wanted) == posixpath.basename(path)
