"""The tree of a public repository as files, without a line of it being run.

Only ``rev-parse``, ``show``, ``ls-tree``, ``cat-file`` and ``status`` are asked of git, with no configuration but the repository's own: no
hook, filter or pager runs. Links, submodules and names that would lead out of the folder are left out and counted.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from first_looks import Refused

QUIET = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
PLAIN = ("100644", "100755")
"""Modes of plain files in a tree (git-fast-import(1), "filemodify")."""
LARGEST = 4 * 2**20
"""Larger files are no configs, and snapshots lack them."""


class Written(NamedTuple):
    """How many files of a tree were written, and how many entries were left out."""

    files: int
    left_out: int


def git(folder: Path, *words: str) -> bytes:
    """What git says of the repository whose git directory, or checkout, is ``folder``. Raises `Refused` where it fails."""
    where = ["-C", str(folder)] if (folder / ".git").exists() else ["--git-dir", str(folder)]
    ran = subprocess.run(["git", *where, *words], env={**os.environ, **QUIET}, capture_output=True, check=False)
    if ran.returncode:
        raise Refused(f"{folder}: git {words[0]}: {os.fsdecode(ran.stderr).strip() or 'failed'}")
    return ran.stdout


def commit_of(folder: Path, name: str = "HEAD") -> str:
    """The full id of a commit. Raises `Refused` where there is none of that name."""
    if name.startswith("-"):
        raise Refused(f"{name} is no commit")
    return git(folder, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").decode("ascii").strip()


def materialise(folder: Path, commit: str, into: Path) -> Written:
    """Writes the plain files of a commit below ``into``, which is empty, and makes a checkout of it (an index that tracks them all)."""
    written = sum(_write(into / path, text) for path, text in texts(folder, commit))
    track(into)
    return Written(written, sum(1 for _ in _entries(folder, commit)) - written)


def texts(folder: Path, commit: str, suffixes: Collection[str] | None = None) -> Iterator[tuple[str, bytes]]:
    """Paths and texts of the plain files of a commit, or of those with one of some suffixes."""
    found = ((path, id) for mode, id, path in _entries(folder, commit) if mode in PLAIN and _inside(path))
    return _blobs(folder, [(path, id) for path, id in found if suffixes is None or PurePosixPath(path).suffix in suffixes])


def _entries(folder: Path, commit: str) -> Iterator[tuple[str, str, str]]:
    for row in git(folder, "ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0"):
        head, _, path = row.partition(b"\t")
        if path:
            mode, _, id = head.decode("ascii").split()
            yield mode, id, os.fsdecode(path)


def _inside(path: str) -> bool:
    """No part leads upwards, and none makes a git directory: trees can hold what ``git add`` would refuse."""
    parts = PurePosixPath(path).parts
    return not path.startswith("/") and not any(part in ("..", ".") or part.lower().rstrip(". ") == ".git" for part in parts)


def _blobs(folder: Path, wanted: list[tuple[str, str]]) -> Iterator[tuple[str, bytes]]:
    """The texts of blobs, one question at a time (git-cat-file(1), "BATCH OUTPUT"); what is missing or too large is passed over."""
    where = ["-C", str(folder)] if (folder / ".git").exists() else ["--git-dir", str(folder)]
    command = ["git", *where, "cat-file", "--batch"]
    with subprocess.Popen(command, env={**os.environ, **QUIET}, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as asked:
        assert asked.stdin is not None and asked.stdout is not None
        for path, id in wanted:
            asked.stdin.write(id.encode("ascii") + b"\n")
            asked.stdin.flush()
            head = asked.stdout.readline().split()
            if len(head) != 3:
                continue
            text = asked.stdout.read(int(head[2]) + 1)[:-1]
            if len(text) < LARGEST:
                yield path, text
        asked.stdin.close()


def _write(place: Path, text: bytes) -> bool:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text)
    return True


def track(folder: Path) -> None:
    """What a clone has: a checkout whose index knows every file. The template is empty, so there are no hooks."""
    for words in (("init", "--quiet", "--template="), ("add", "--all", "--force", ".")):
        subprocess.run(["git", "-C", str(folder), *words], env={**os.environ, **QUIET}, capture_output=True, check=True)
