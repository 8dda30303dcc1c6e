"""What the editor has open: texts that may not be saved, over the files of the disk."""

from __future__ import annotations

import fnmatch
import posixpath
from collections.abc import Iterable, Iterator, Mapping

from budgetlint.files import DiskFiles
from budgetlint.source import SourceFile, Unreadable


class OpenFiles:
    """`budgetlint.files.Files` with open texts in front of the disk."""

    def __init__(self, disk: DiskFiles, texts: Mapping[str, SourceFile]) -> None:
        self._disk = disk
        self._texts = texts

    def read(self, path: str) -> SourceFile | Unreadable:
        return self._texts.get(path) or self._disk.read(path)

    def exists(self, path: str) -> bool:
        return path in self._texts or self._disk.exists(path)

    def expand(self, paths: Iterable[str]) -> Iterator[str]:
        asked = tuple(paths)
        found = set(self._disk.expand(asked))
        found.update(path for path in self._texts if any(_below(path, base) for base in asked))
        return iter(sorted(found))

    def glob(self, pattern: str) -> list[str]:
        normal = posixpath.normpath(pattern)
        unsaved = (path for path in self._texts if fnmatch.fnmatchcase(path, normal) and normal.count("/") == path.count("/"))
        return sorted({*self._disk.glob(pattern), *unsaved})


def _below(path: str, base: str) -> bool:
    return base == "." or path == base or path.startswith(base + "/")
