"""The files of a project as a followed program may read them, and what it asked of them: the same answers give the same run."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from functools import cached_property

from budgetlint.base.source import SourceFile
from budgetlint.documents.notebook import cells_of, is_exported
from budgetlint.files.disk import ChangedFiles, DiskFiles, Files
from budgetlint.files.wanted import NOTEBOOK_SUFFIX, PYTHON_SUFFIX
from budgetlint.resolve.copies import is_in_copy

Asked = tuple[str, str]
"""``text`` of a path, whether it ``is`` a file, or what Python files the project ``lists``."""


class ProgramFiles:
    """`budgetlint.program.modules.Files` over a project. ``asked``: what was asked since it was last emptied, with the answers."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self.asked: dict[Asked, object] = {}

    def source(self, path: str) -> SourceFile | None:
        source = self._source(path)
        self.asked[("text", path)] = None if source is None else source.text
        return source

    def _source(self, path: str) -> SourceFile | None:
        """The text of a file; of a notebook, the Python of its cells."""
        found = self._files.read(path) if not path.startswith("..") else None
        if not isinstance(found, SourceFile) or not (path.endswith(NOTEBOOK_SUFFIX) or is_exported(found.text)):
            return found if isinstance(found, SourceFile) else None
        cells = cells_of(found)
        return cells.program if cells is not None else None

    def is_file(self, path: str) -> bool:
        found = self._is(path)
        self.asked[("is", path)] = found
        return found

    def _is(self, path: str) -> bool:
        """A copy of a framework is the package that it is a copy of: not looked into."""
        return (
            not path.startswith("..") and self._files.exists(path) and not (path.endswith(PYTHON_SUFFIX) and is_in_copy(self._files, path))
        )

    def is_folder(self, path: str) -> bool:
        self.asked[("lists", "")] = self.modules
        if path in self._folders:
            return True
        held = self.asked[("holds", path)] = self._holds(path)
        return held

    def called(self, name: str) -> Sequence[str]:
        self.asked[("lists", "")] = self.modules
        return self._by_name.get(name, ())

    def below(self, folder: str) -> Sequence[str]:
        self.asked[("lists", "")] = self.modules
        return [path for path in self.modules if not folder or path.startswith(f"{folder}/")]

    def answers(self, asked: dict[Asked, object]) -> bool:
        """Would the project answer so today?"""
        return all(self._answer(one) == answer for one, answer in asked.items())

    def _answer(self, asked: Asked) -> object:
        kind, path = asked
        if kind == "lists":
            return self.modules
        if kind == "is":
            return self._is(path)
        if kind == "holds":
            return self._holds(path)
        found = self._source(path)
        return found.text if found is not None else None

    def _holds(self, path: str) -> bool:
        """Is it a folder of configs, as Hydra's groups are, without a module in it?"""
        return bool(path) and not path.startswith("..") and bool(self._files.glob(f"{path}/*.yaml"))

    @cached_property
    def modules(self) -> tuple[str, ...]:
        """Python files of the project: those below the working directory, or below what is named, where all of that lies elsewhere."""
        files = self._files
        if isinstance(files, (DiskFiles, ChangedFiles)) and files.beyond is not None:
            return tuple(path for folder in files.beyond for path in files.modules_below(folder, PYTHON_SUFFIX))
        return tuple(files.glob(f"**/*{PYTHON_SUFFIX}"))

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.modules:
            found.setdefault(posixpath.basename(path), []).append(path)
        return found

    @cached_property
    def _folders(self) -> frozenset[str]:
        found: set[str] = set()
        for path in self.modules:
            folder = posixpath.dirname(path)
            while folder and folder not in found:
                found.add(folder)
                folder = posixpath.dirname(folder)
        return frozenset(found)
