"""Where texts come from: the disk below a root, or texts in memory (tests, editors). Nothing here is ever executed."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import NamedTuple, Protocol

from budgetlint.base.source import IsALink, SourceFile, UnreadableFile, read_source
from budgetlint.files.glob import is_excluded, those_named
from budgetlint.files.walk import Passed, Walk
from budgetlint.files.wanted import is_wanted, is_wanted_entry
from budgetlint.isolation.boundary import boundary_of
from budgetlint.isolation.checkout import top_of


class Files(Protocol):
    """Read-only access by posix path, relative to the project root where possible."""

    def read(self, path: str) -> SourceFile | UnreadableFile: ...

    def exists(self, path: str) -> bool: ...

    def expand(self, paths: Iterable[str]) -> Iterator[str]:
        """Config files among and below ``paths``, sorted, each once."""
        ...

    def glob(self, pattern: str) -> list[str]: ...

    def leads_out(self, path: str) -> bool:
        """Does a path lead out of the project? Then nothing exists there, and nothing is read."""
        ...

    @property
    def passed(self) -> tuple[Passed, ...]:
        """What `expand` passed over so far."""
        ...


class TextFiles:
    """Texts in memory, by path."""

    passed: tuple[Passed, ...] = ()

    def leads_out(self, path: str) -> bool:
        return posixpath.isabs(path) or posixpath.normpath(path).startswith("..")

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = dict(texts)

    def read(self, path: str) -> SourceFile | UnreadableFile:
        text = self._texts.get(posixpath.normpath(path))
        if text is None:
            return UnreadableFile(path, "does not exist", "check the path")
        return SourceFile(posixpath.normpath(path), text)

    def exists(self, path: str) -> bool:
        return posixpath.normpath(path) in self._texts

    def expand(self, paths: Iterable[str]) -> Iterator[str]:
        wanted = [posixpath.normpath(path) for path in paths] or ["."]
        for path in sorted(path for path, text in self._texts.items() if path in paths or is_wanted(path, text)):
            if any(base == "." or path == base or path.startswith(base + "/") for base in wanted):
                yield path

    def glob(self, pattern: str) -> list[str]:
        return sorted(those_named(pattern, self._texts))


class ChangedFiles:
    """Other files with some texts changed, and some that are not there yet: what a fix makes of them before it is written, what an
    editor has open. ``hidden`` are files that are taken for not there."""

    def __init__(self, base: Files, texts: Mapping[str, str], hidden: Iterable[str] = ()) -> None:
        self._base = base
        self._texts = dict(texts)
        self._hidden = frozenset(hidden)

    @property
    def beyond(self) -> tuple[str, ...] | None:
        return self._base.beyond if isinstance(self._base, (DiskFiles, ChangedFiles)) else None

    def modules_below(self, folder: str, suffix: str) -> list[str]:
        return self._base.modules_below(folder, suffix) if isinstance(self._base, (DiskFiles, ChangedFiles)) else []

    def leads_out(self, path: str) -> bool:
        return self._base.leads_out(path)

    @property
    def passed(self) -> tuple[Passed, ...]:
        return self._base.passed

    def read(self, path: str) -> SourceFile | UnreadableFile:
        text = self._texts.get(path)
        if text is None and path in self._hidden:
            return UnreadableFile(path, "does not exist", "check the path")
        return self._base.read(path) if text is None else SourceFile(path, text)

    def exists(self, path: str) -> bool:
        return path in self._texts or (path not in self._hidden and self._base.exists(path))

    def expand(self, paths: Iterable[str]) -> Iterator[str]:
        asked = tuple(paths)
        new = (path for path in self._texts if not self._base.exists(path))
        wanted = {posixpath.normpath(path) for path in asked}
        below = {path for path in new if any(base == "." or path == base or path.startswith(f"{base}/") for base in wanted)}
        found = (path for path in self._base.expand(asked) if path not in self._hidden)
        return iter(sorted({*found, *below})) if below else found

    def glob(self, pattern: str) -> list[str]:
        found = [path for path in self._base.glob(pattern) if path not in self._hidden]
        new = set(those_named(pattern, self._texts))
        return sorted({*found, *new}) if new - set(found) else found


class Seen(NamedTuple):
    """Everything that was asked of the disk, with the answers: folders listed, patterns matched, files read, files looked for."""

    exclude: tuple[str, ...]
    named: tuple[str, ...]
    expanded: list[tuple[tuple[str, ...], list[str]]]
    globbed: list[tuple[str, list[str]]]
    read: dict[str, str]
    exists: dict[str, bool]
    passed: list[tuple[str, str]]


_watchers: list[list[DiskFiles]] = []


@contextmanager
def watching() -> Iterator[list[DiskFiles]]:
    """Collects every `DiskFiles` that is made inside: what they were asked is in their ``seen()``."""
    opened: list[DiskFiles] = []
    _watchers.append(opened)
    try:
        yield opened
    finally:
        _watchers.remove(opened)


class DiskFiles:
    """The disk. Paths are shown relative to ``root`` (the working directory). Links to folders are not followed in a walk, and no link
    and no path leads out of the checkout, but those in ``named``, which the user gave."""

    def __init__(self, root: Path, exclude: Iterable[str] = (), named: Iterable[str] = ()) -> None:
        self._expanded: list[tuple[tuple[str, ...], list[str]]] = []
        self._globbed: list[tuple[str, list[str]]] = []
        for opened in _watchers:
            opened.append(self)
        self.root = root
        self._exclude, self._named = tuple(exclude), tuple(named)
        self.boundary = boundary_of(root, self._named)
        self._walk = Walk(self.boundary, is_wanted_entry, self._excludes)
        self._read: dict[str, SourceFile | UnreadableFile] = {}
        self._base = str(root)
        self._is_file: dict[str, bool] = {}
        self._inside: dict[str, bool] = {}

    @property
    def passed(self) -> tuple[Passed, ...]:
        return tuple(dict.fromkeys(sorted(self._walk.passed, key=lambda one: one.path)))

    @property
    def beyond(self) -> tuple[str, ...] | None:
        """The named folders (of files, those that they lie in), where none is named from the working directory down; None where it is what
        is read. Their files have names that begin with theirs."""
        if not self._named or not all(os.path.isabs(name) or name.startswith("..") for name in self._named):  # noqa: PTH117
            return None
        folders = (name if os.path.isdir(os.path.join(self._base, name)) else os.path.dirname(name) for name in self._named)  # noqa: PTH112, PTH118, PTH120
        return tuple(dict.fromkeys(folders))

    def modules_below(self, folder: str, suffix: str) -> list[str]:
        """Files of a named folder with this suffix, by names that begin with the folder's."""
        whole = os.path.realpath(os.path.join(self._base, folder))  # noqa: PTH118
        found = self.glob(f"{escape(whole)}/**/*{suffix}")
        return [os.path.join(folder, os.path.relpath(os.path.join(self._base, path), whole)) for path in found]  # noqa: PTH118

    def read(self, path: str) -> SourceFile | UnreadableFile:
        if path not in self._read:
            self._read[path] = self._source(path)
        return self._read[path]

    def _source(self, path: str) -> SourceFile | UnreadableFile:
        whole = os.path.join(self._base, path)  # noqa: PTH118
        if not self._is_inside(os.path.dirname(whole)):  # noqa: PTH120
            return self.boundary.refused(path)
        try:
            return read_source(whole, name=path, follow=False)
        except IsALink:
            real = self.boundary.place_of(whole)
            return self.boundary.refused(path) if real is None else read_source(real, name=path)

    def leads_out(self, path: str) -> bool:
        return self.boundary.place_of(os.path.join(self._base, path)) is None  # noqa: PTH118

    def _is_inside(self, folder: str) -> bool:
        """Asked once for each folder: following links costs as much as reading a small file."""
        found = self._inside.get(folder)
        if found is None:
            found = self._inside[folder] = self.boundary.place_of(folder) is not None
        return found

    def exists(self, path: str) -> bool:
        found = self._is_file.get(path)
        if found is None:  # thousands of places are tried for the files that configs name: without a `Path` for each
            whole = os.path.join(self._base, path)  # noqa: PTH118
            found = os.path.isfile(whole) and self.boundary.place_of(whole) is not None  # noqa: PTH113
            self._is_file[path] = found
        return found

    def seen(self) -> Seen:
        read = {path: self.state(path) for path in self._read}
        passed = [(one.path, one.why) for one in self.passed]
        return Seen(self._exclude, self._named, self._expanded, self._globbed, read, self._is_file, passed)

    def state(self, path: str) -> str:
        """A digest of what `read` gives."""
        found = self.read(path)
        parts = (found.encoding, found.text) if isinstance(found, SourceFile) else ("", found.problem)
        from hashlib import sha256  # as in `budgetlint.engine.cache`

        return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()

    def expand(self, paths: Iterable[str]) -> Iterator[str]:
        asked = tuple(paths)
        found = next((known for earlier, known in self._expanded if earlier == asked), None)  # as it is read once, it is walked once
        if found is None:
            found = self._listed(asked)
            self._expanded.append((asked, found))
        return iter(found)

    def _listed(self, paths: Iterable[str]) -> list[str]:
        found: dict[str, None] = {}
        for path in paths:
            whole, shown = os.path.join(self._base, path), _shown(path)  # noqa: PTH118
            if os.path.isdir(whole) and self._is_inside(whole):  # noqa: PTH112
                found.update(dict.fromkeys(self._walk.files(whole, shown)))
            else:
                found[shown] = None
        return sorted(found)

    def _excludes(self, shown: str) -> bool:
        return bool(self._exclude) and is_excluded(self._exclude, shown, posixpath.dirname(shown.rstrip("/")))

    def glob(self, pattern: str) -> list[str]:
        found = self._matching(pattern)
        self._globbed.append((pattern, found))
        return found

    def _matching(self, pattern: str) -> list[str]:
        base = self.root if not os.path.isabs(pattern) else Path("/")  # noqa: PTH117
        try:
            found = [path for path in base.glob(pattern.lstrip("/")) if path.is_file() and self.boundary.place_of(path) is not None]
        except (ValueError, NotImplementedError, OSError):
            return []
        return sorted(_shown(os.path.relpath(path, self.root)) for path in found)


REPOSITORY_MARKS = (".git", ".hg", "pyproject.toml")


def nearest_settings(root: Path) -> Path | None:
    """The ``pyproject.toml`` of a folder or of the nearest one above it, inside its repository."""
    for folder in (root, *root.parents):
        path = folder / "pyproject.toml"
        if os.path.lexists(path) and not path.is_dir():  # one that cannot be read says nothing, and is told
            return path
        if (folder / ".git").exists():
            break
    return None


def is_repository(folder: Path) -> bool:
    """Is this folder a repository, or part of one?"""
    return any((place / mark).exists() for place in (folder, *folder.parents) for mark in REPOSITORY_MARKS)


def repository_top(folder: Path) -> Path | None:
    """The top of the checkout that a folder is in."""
    top = top_of(str(folder))
    return None if top is None else Path(top)


def _shown(path: str) -> str:
    return posixpath.normpath(str(path).replace(os.sep, "/"))
