"""Which files of a folder are looked at, and what is passed over. Links to folders are not followed; the order of the disk decides
nothing.

Environments and tools' folders are passed over only where git tracks nothing in them: ``env/`` is a usual name in repositories about
reinforcement learning, and anybody can commit a ``pyvenv.cfg``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator

from budgetlint.base.expression import expression
from budgetlint.base.record import field, record, state
from budgetlint.files.git_index import index_of, tracks
from budgetlint.isolation.boundary import LEADS_OUT, Boundary
from budgetlint.isolation.checkout import holds, top_of

HISTORIES = frozenset({".git", ".hg", ".svn"})
"""Never part of a project's text."""
CACHES = frozenset({"__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".budgetlint_cache", ".ipynb_checkpoints"})
"""What tools write beside the text: not worth a word where git does not track it."""
LOCAL = frozenset({".tox", ".nox", ".venv", "venv", "env", ".env", "site-packages", "wandb"})
VENDORED = frozenset({"third_party", "vendor", "node_modules"})
_COPIES = expression(r"\.history|\.ipynb_checkpoints|.+[._-](?:backup|bak)", re.IGNORECASE)
"""Folders of older states: VS Code's Local History, Jupyter's checkpoints, what somebody put aside."""
_COPY = expression(r".+\.bak\..+", re.IGNORECASE)
ENVIRONMENT_MARK = "pyvenv.cfg"

UNTRACKED, IS_VENDORED, IS_COPY, IS_LINK = "not tracked by git", "vendored", "a copy of an older state", "a link"
TOO_LARGE = "larger than any config"
NOT_OPENED = "cannot be opened, and git tracks nothing in it"


def is_copy(name: str, *, folder: bool = False) -> bool:
    """Is a file or folder of this name an older state that somebody keeps, and nobody starts?"""
    return (_COPIES if folder else _COPY).fullmatch(name) is not None


def is_in_copy(path: str) -> bool:
    """Is a file one, or in one?"""
    *folders, name = path.split("/")
    return is_copy(name) or any(is_copy(folder, folder=True) for folder in folders)


@record
class Passed:
    """Something that was not looked at, and why. The path of a folder ends in a slash."""

    path: str
    why: str


@state
class Walk:
    """The files below folders of one project. ``wanted`` says by folder and name which; ``excluded`` by path which are left out (a folder's
    ends in a slash).
    ``passed`` is what was passed over, in order of paths."""

    boundary: Boundary
    wanted: Callable[[os.DirEntry[str]], bool]
    excluded: Callable[[str], bool]
    passed: list[Passed] = field(default_factory=list)
    _indexes: dict[str, bytes | None] = field(default_factory=dict)

    def files(self, base: str, shown: str) -> Iterator[str]:
        """The paths of the files below the folder ``base``, which is called ``shown``; and of a folder that cannot be opened, so that
        whoever reads it finds out why."""
        stack = [(base, shown)]
        while stack:
            folder, name = stack.pop()
            entries = _entries(folder)
            if entries is None:
                yield from [name] if not self._passes_closed(folder, name) else []
                continue
            is_environment = folder != base and any(entry.name == ENVIRONMENT_MARK for entry in entries)
            if is_environment and not self._is_tracked(folder):
                self._pass(f"{name}/", UNTRACKED)
                continue
            for entry in entries:
                path = f"{name}/{entry.name}" if name != "." else entry.name
                if entry.is_dir(follow_symlinks=False):
                    if self._enters(entry, path):
                        stack.append((entry.path, path))
                elif entry.is_symlink() and os.path.isdir(entry.path):  # noqa: PTH112  (a circle is none; `DirEntry.is_dir` raises)
                    self._pass_link(entry, path, base)
                elif self.wanted(entry) and not self.excluded(path) and self._stays(entry, path):
                    yield path

    def _enters(self, entry: os.DirEntry[str], path: str) -> bool:
        if entry.name in HISTORIES or self.excluded(f"{path}/"):
            return False
        if entry.name in VENDORED:
            self._pass(f"{path}/", IS_VENDORED)
            return False
        if is_copy(entry.name, folder=True) and (entry.name not in CACHES or self._is_tracked(entry.path)):
            self._pass(f"{path}/", IS_COPY)
            return False
        if entry.name not in LOCAL and entry.name not in CACHES:
            return True
        if self._is_tracked(entry.path):
            return True
        if entry.name in LOCAL:
            self._pass(f"{path}/", UNTRACKED)
        return False

    def _stays(self, entry: os.DirEntry[str], path: str) -> bool:
        if is_copy(entry.name):
            self._pass(path, IS_COPY)
            return False
        if not entry.is_symlink() or self.boundary.place_of(entry.path) is not None:
            return True
        self._pass(path, LEADS_OUT)
        return False

    def _pass_link(self, entry: os.DirEntry[str], path: str, base: str) -> None:
        """A link to a folder that is walked anyway is no loss."""
        real = self.boundary.place_of(entry.path)
        if not self.excluded(f"{path}/") and (real is None or not holds(os.path.realpath(base), real)):
            self._pass(f"{path}/", IS_LINK if real else LEADS_OUT)

    def _passes_closed(self, folder: str, name: str) -> bool:
        """Of a folder that nobody may open, git knows whether it belongs to the project."""
        if top_of(os.path.dirname(folder)) is None or self._is_tracked(folder):  # noqa: PTH120
            return False
        self._pass(f"{name}/", NOT_OPENED)
        return True

    def _is_tracked(self, folder: str) -> bool:
        top = top_of(os.path.dirname(folder))  # noqa: PTH120
        if top is None:
            return False
        if top not in self._indexes:
            self._indexes[top] = index_of(top)
        return tracks(self._indexes[top], os.path.relpath(folder, top).replace(os.sep, "/"))

    def _pass(self, path: str, why: str) -> None:
        self.passed.append(Passed(path, why))


def _entries(folder: str) -> list[os.DirEntry[str]] | None:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return None
