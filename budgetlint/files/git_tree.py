"""The files of a revision, as a checkout of it would give them: the texts of its tree where they differ from the disk, else the
disk's own. Nothing is checked out.

What no tree holds stays as it is on the disk through every checkout, so it is read there for both sides: files that git ignores,
what lies in submodules, and what lies outside the repository.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import cache
from typing import NamedTuple

from budgetlint.base.source import MAX_BYTES, SourceFile, UnreadableFile, decode
from budgetlint.files.disk import Files
from budgetlint.files.glob import is_excluded, those_named
from budgetlint.files.walk import VENDORED, Passed, is_in_copy
from budgetlint.files.wanted import CONFIG_SUFFIXES, asked_of, is_named, is_wanted

LINK, SUBMODULE = "120000", "160000"
"""Modes of a tree that are no plain files (git-fast-import, "filemodify")."""
LINKS = 8
"""So many links are followed one behind the other."""
POINTER = re.compile(rb"version https://git-lfs\.github\.com/spec/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\n")
"""What a tree holds of a file that Git LFS keeps (git-lfs docs/spec.md)."""


class Blob(NamedTuple):
    """One entry of a tree. ``id`` is the digest of its bytes with their header: SHA-1, or SHA-256 where it has 64 digits."""

    mode: str
    id: str


class Checkout(NamedTuple):
    """Where the working directory lies: ``top`` is the top of the checkout (absolute), ``prefix`` the folder below it, ending in a
    slash unless it is the top itself."""

    top: str
    prefix: str


class RevisionFiles:
    """The tree of a revision as `Files`. ``blobs`` are its entries by their path from the top; ``text_of`` gives the bytes of a
    blob, None for one that is larger than any config; ``ignored`` says which of some paths git ignores. ``exclude`` are globs of
    paths that are not walked, as its own settings say."""

    def __init__(
        self,
        name: str,
        place: Checkout,
        blobs: Mapping[str, Blob],
        disk: Files,
        text_of: Callable[[str], bytes | None],
        ignored: Callable[[list[str]], set[str]],
    ) -> None:
        self.name, self.place, self.disk = name, place, disk
        self.passed: tuple[Passed, ...] = ()
        self.exclude: tuple[str, ...] = ()
        self._blobs, self._text_of = blobs, text_of
        self._submodules = tuple(path + "/" for path, blob in blobs.items() if blob.mode == SUBMODULE)
        self._links = {path for path, blob in blobs.items() if blob.mode == LINK}
        self._read: dict[str, SourceFile | UnreadableFile] = {}
        self._in_tree: dict[str, str | None] = {}
        self._expanded: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
        self._ignored = ignored
        self._is_ignored = cache(lambda path: bool(ignored([path])))

    # -- paths ---------------------------------------------------------------------------------------------------------------

    def in_tree(self, path: str) -> str | None:
        """A path of the working directory as the tree names it; None outside the repository."""
        if path not in self._in_tree:  # each path is asked about a dozen times
            self._in_tree[path] = self._placed(path)
        return self._in_tree[path]

    def _placed(self, path: str) -> str | None:
        whole = posixpath.normpath(posixpath.join(self.place.top, self.place.prefix, path.replace(os.sep, "/")))
        inside = self.place.top.rstrip("/") + "/"
        if whole + "/" == inside:
            return "."
        return whole[len(inside) :] if whole.startswith(inside) else None

    def shown(self, tree_path: str) -> str:
        """A path of the tree as seen from the working directory."""
        prefix = self.place.prefix
        return tree_path[len(prefix) :] if tree_path.startswith(prefix) else posixpath.relpath(tree_path, prefix)

    def _followed(self, tree_path: str) -> str | None:
        """Where a path leads through the links of the tree; None where that is outside."""
        for _ in range(LINKS):
            link = next((head for head in _heads(tree_path) if head in self._links), None) if self._links else None
            if link is None:
                return tree_path
            target = os.fsdecode(self._text_of(self._blobs[link].id) or b"")
            rest = tree_path[len(link) :].lstrip("/")
            tree_path = posixpath.normpath(posixpath.join(posixpath.dirname(link), target, rest))
            if tree_path.startswith(("/", "..")):
                return None
        return None

    def _of_others(self, path: str) -> bool:
        """Does it lie outside the repository, or in a submodule, which is a repository of its own?"""
        tree_path = self.in_tree(path)
        return tree_path is None or bool(self._submodules and tree_path.startswith(self._submodules))

    def _of_disk(self, path: str) -> bool:
        """Is this a file that no checkout of this repository changes?"""
        return self._of_others(path) or (self.in_tree(path) not in self._blobs and self.disk.exists(path) and self._is_ignored(path))

    def leads_out(self, path: str) -> bool:
        return self.disk.leads_out(path)

    # -- Files ---------------------------------------------------------------------------------------------------------------

    def blob(self, path: str) -> Blob | None:
        """The file of the tree that a path leads to."""
        tree_path = self.in_tree(path)
        followed = self._followed(tree_path) if tree_path is not None else None
        found = self._blobs.get(followed) if followed is not None else None
        return found if found is not None and found.mode not in (SUBMODULE, LINK) else None

    def read(self, path: str) -> SourceFile | UnreadableFile:
        if path not in self._read:
            self._read[path] = self._text(path)
        return self._read[path]

    def exists(self, path: str) -> bool:
        return self.blob(path) is not None or (self._of_disk(path) and self.disk.exists(path))

    def expand(self, paths: Iterable[str]) -> Iterator[str]:
        """As the disk does it: folders by what may be a config, named files as they are. Where nothing is, nothing is given."""
        asked = (tuple(paths), self.exclude)
        if asked not in self._expanded:
            self._expanded[asked] = sorted(self._listed(asked[0]))
        return iter(self._expanded[asked])

    def _listed(self, asked: tuple[str, ...]) -> set[str]:
        found = self._theirs(list(self.disk.expand(asked)))
        for one in asked:
            tree_path = self.in_tree(one)
            if self.exists(one):
                found.add(posixpath.normpath(one))
            elif tree_path is not None:
                folder = "" if tree_path == "." else tree_path + "/"
                found.update(self._below(folder))
        return found

    def glob(self, pattern: str) -> list[str]:
        if self.in_tree(pattern) is None:
            return self.disk.glob(pattern)
        whole = posixpath.join(self.place.prefix, pattern)
        found = set(map(self.shown, those_named(whole, self._blobs)))
        kept = self._theirs(self.disk.glob(pattern))
        return sorted({path for path in found if self.blob(path) is not None} | kept)

    # -- listing -------------------------------------------------------------------------------------------------------------

    def _theirs(self, listed: list[str]) -> set[str]:
        """What a listing of the disk holds that no checkout changes."""
        others = {path for path in listed if self._of_others(path) and self.disk.exists(path)}
        unknown = [path for path in listed if path not in others and self.in_tree(path) not in self._blobs]
        return others | (self._ignored(unknown) if unknown else set())

    def _below(self, folder: str) -> Iterator[str]:
        under = self.shown(folder.rstrip("/")) if folder else ""
        for path, blob in self._blobs.items():
            if not path.startswith(folder) or blob.mode == SUBMODULE:
                continue
            if not VENDORED.isdisjoint(posixpath.dirname(path)[len(folder) :].split("/")):  # everything in a tree is tracked
                continue
            if is_in_copy(path[len(folder) :]):
                continue
            shown = self.shown(path)
            if self._is_config(path, shown) and not is_excluded(self.exclude, shown, under):
                yield shown

    def _is_config(self, path: str, shown: str) -> bool:
        name = posixpath.basename(path)
        suffix = posixpath.splitext(name)[1].lower()
        if suffix in CONFIG_SUFFIXES or is_named(name):
            return path not in self._links or self.blob(shown) is not None
        if asked_of(name) is None:
            return False
        source = self.read(shown)
        return isinstance(source, SourceFile) and is_wanted(shown, source.text)

    def beside(self, known: Iterable[str], listed: Set[str]) -> set[str] | None:
        """Of the files that are ``known`` today or were in the tree, those that may be other ones, beside the ``listed``. None where a link
        leads elsewhere: everything below it may be another file. Only bytes are compared: line ends and LFS are for who reads them."""
        inside = {path: shown for path in self._blobs if (shown := self.shown(path)) not in listed}
        found = {path for path in known if path not in listed and self.in_tree(path) not in self._blobs}
        for path, shown in inside.items():
            blob = self._blobs[path]
            if blob.mode == SUBMODULE or _id_on_disk(posixpath.join(self.place.top, path), blob) == blob.id:
                continue
            if blob.mode == LINK:
                return None
            found.add(shown)
        return found

    # -- texts ---------------------------------------------------------------------------------------------------------------

    def _text(self, path: str) -> SourceFile | UnreadableFile:
        blob = self.blob(path)
        if blob is None:
            return self.disk.read(path) if self._of_disk(path) else UnreadableFile(path, f"does not exist at {self.name}", "check the path")
        now = self.disk.read(path)
        if isinstance(now, SourceFile) and _has_id(now, blob.id):
            return now
        raw = self._text_of(blob.id)
        if raw is None:
            return UnreadableFile(path, f"is larger than {MAX_BYTES:,} bytes", "leave it out of the check")
        return self._decoded(path, raw, now)

    def _decoded(self, path: str, raw: bytes, now: SourceFile | UnreadableFile | None) -> SourceFile | UnreadableFile:
        """A checkout may write other line ends than the tree holds, and the text itself where the tree holds an LFS pointer."""
        pointer = POINTER.match(raw)
        if pointer is not None and isinstance(now, SourceFile):
            same = hashlib.sha256(_bytes(now)).hexdigest().encode() == pointer[1]
            return now if same else UnreadableFile(path, f"is kept by Git LFS: its text at {self.name} is not here", "git lfs fetch")
        then = decode(path, raw)
        if isinstance(now, SourceFile) and isinstance(then, SourceFile) and _lines(now.text) == _lines(then.text):
            return now
        return then


def _heads(path: str) -> Iterator[str]:
    """``a``, ``a/b`` and ``a/b/c`` of ``a/b/c``."""
    at = path.find("/")
    while at >= 0:
        yield path[:at]
        at = path.find("/", at + 1)
    if path:
        yield path


def _bytes(source: SourceFile) -> bytes:
    from budgetlint.base.source import encode

    return encode(source.text, source.encoding)


def _has_id(source: SourceFile, id: str) -> bool:
    return _id_of(_bytes(source), id) == id


def _id_on_disk(place: str, blob: Blob) -> str:
    """What git would call the bytes there; of what is larger than any config, what is no file and what is gone, nothing."""
    try:
        mode = os.lstat(place)
        if stat.S_ISLNK(mode.st_mode):
            raw = os.fsencode(os.readlink(place)) if blob.mode == LINK else b""  # noqa: PTH115
        elif not stat.S_ISREG(mode.st_mode) or mode.st_size > MAX_BYTES:
            return blob.id if stat.S_ISREG(mode.st_mode) else ""
        else:
            with open(place, "rb") as file:  # noqa: PTH123
                raw = file.read(MAX_BYTES)
    except OSError:
        return ""
    return _id_of(raw, blob.id)


def _id_of(raw: bytes, like: str) -> str:
    digest = hashlib.sha256 if len(like) == 64 else hashlib.sha1
    return digest(b"blob %d\0" % len(raw) + raw).hexdigest()


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")
