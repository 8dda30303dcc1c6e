"""``--compare-with REV``: the tree of a git revision, read through git's plumbing.

Only ``rev-parse``, ``ls-tree``, ``ls-files``, ``cat-file`` and ``check-ignore`` are asked: they write nothing, run no hook and no
filter, and are kept from fetching what a partial clone lacks.
"""

from __future__ import annotations

import os
import posixpath
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from budgetlint.base.record import open_record, record
from budgetlint.base.source import MAX_BYTES
from budgetlint.base.suggest import did_you_mean
from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse
from budgetlint.files.disk import Files
from budgetlint.files.git_tree import Blob, Checkout, RevisionFiles
from budgetlint.isolation.executables import find_program, usable_path, whole_checkout

QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
"""No index is refreshed; nothing is fetched: ``GIT_NO_LAZY_FETCH`` since git 2.45, before that no protocol is allowed (git(1))."""


@record
class Revision:
    """A commit: ``name`` as it was asked for, ``commit`` its full id."""

    name: str
    commit: str


@open_record
class Git:
    """git in the working directory of a command."""

    program: str
    root: Path
    environ: Mapping[str, str]

    def command(self, *words: str) -> list[str]:
        return [self.program, "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", *words]

    def run(self, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(self.command(*words), cwd=self.root, env=self.environ, input=given, capture_output=True, check=False)

    def line(self, *words: str) -> str | None:
        """The first line of the answer; None where git fails."""
        ran = self.run(*words)
        return os.fsdecode(ran.stdout).split("\n", 1)[0] if ran.returncode == 0 else None


def git_of(io: Console) -> Git:
    """git from outside the checkout, which finds nothing in it either."""
    path, checkout = io.environ.get("PATH", os.defpath), whole_checkout(io.root)
    program = find_program("git", path, checkout)
    if program is None:
        raise Misuse("--compare-with reads the revision with git, which is not on PATH outside this repository: install it")
    return Git(program, io.root, {**io.environ, **QUIET, "PATH": os.pathsep.join(usable_path(path, checkout))})


def is_tracked(git: Git, path: str) -> bool:
    return git.run("ls-files", "--error-unmatch", "-z", "--", path).returncode == 0


def known_files(git: Git) -> list[str]:
    """What git tracks or would offer to add, below the working directory."""
    ran = git.run("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return [os.fsdecode(path) for path in ran.stdout.split(b"\0") if path]


def find_revision(git: Git, name: str) -> tuple[Revision, Checkout]:
    """The commit, and where the working directory lies in its repository. Everything that can be wrong is said with its cure."""
    place = _place(git)
    # a revision never begins with a dash (git-check-ref-format(1)): what does would be an option
    commit = git.line("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}") if name and not name.startswith("-") else None
    if not commit:
        raise Misuse(f"--compare-with {name}: {_unknown(git, name)}")
    return Revision(name, commit), place


def _place(git: Git) -> Checkout:
    ran = git.run("rev-parse", "--show-toplevel", "--show-prefix")
    if ran.returncode:
        raise Misuse(f"--compare-with: {_no_place(git, os.fsdecode(ran.stderr).strip())}")
    top, prefix, *_ = os.fsdecode(ran.stdout).split("\n")
    return Checkout(_above(git.root, prefix) or top, prefix)


def _above(root: Path, prefix: str) -> str | None:
    """The top by the name that the working directory itself has: git resolves links on the way."""
    above = posixpath.normpath(root.as_posix())
    inside = prefix.rstrip("/")
    if not inside:
        return above
    return above[: -len(inside) - 1] if above.endswith("/" + inside) else None


def _no_place(git: Git, said: str) -> str:
    if "dubious ownership" in said:
        return f"git does not trust this folder, which belongs to somebody else: git config --global --add safe.directory {git.root}"
    if "must be run in a work tree" in said:
        return "this is a repository without files (bare, or its .git folder): run in a checkout (git worktree add)"
    if "not a git repository" in said:
        return "this folder is in no git repository: a revision can be read only inside one"
    return said.removeprefix("fatal: ") or "git cannot read this repository"


def _unknown(git: Git, name: str) -> str:
    if ".." in name:
        ends = " ".join(end or "HEAD" for end in name.replace("...", "..").split(".."))
        return f'a revision is one commit; of a range, the merge base: --compare-with "$(git merge-base {ends})"'
    if git.line("rev-parse", "--is-shallow-repository") == "true":
        return (
            "no such revision in this clone, which is shallow: fetch it before "
            "(actions/checkout: fetch-depth: 0; GitLab: GIT_DEPTH: 0; else git fetch --unshallow)"
        )
    if git.line("rev-parse", "--verify", "--quiet", "HEAD") is None:
        return "this repository has no commit yet"
    refs = os.fsdecode(git.run("for-each-ref", "--format=%(refname:short)").stdout).split()
    near = next((f"; did you mean '{ref}'?" for ref in refs if ref.partition("/")[2] == name), "") or did_you_mean(name, refs)
    return f"no branch, tag or commit has this name{near or ' (git fetch brings what others pushed)'}"


@contextmanager
def opened(git: Git, revision: Revision, place: Checkout, disk: Files) -> Iterator[RevisionFiles]:
    """The files of a revision, while their texts can be asked for."""
    blobs = _tree(git, revision)
    with subprocess.Popen(
        git.command("cat-file", "--batch"), cwd=git.root, env=git.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as reader:  # fmt: skip
        try:
            yield RevisionFiles(revision.name, place, blobs, disk, _Texts(reader), lambda paths: _ignored(git, paths))
        finally:
            assert reader.stdin is not None
            reader.stdin.close()
            reader.terminate()


def _tree(git: Git, revision: Revision) -> dict[str, Blob]:
    ran = git.run("ls-tree", "-r", "-z", "--full-tree", revision.commit)
    if ran.returncode:
        raise Misuse(f"--compare-with {revision.name}: its tree is not in this clone ({_fetch(revision)})")
    found = {}
    for row in ran.stdout.split(b"\0"):
        head, _, path = row.partition(b"\t")
        if path:
            mode, _, id = head.decode("ascii").split()
            found[os.fsdecode(path)] = Blob(mode, id)
    return found


def _fetch(revision: Revision) -> str:
    return f"a partial clone: git fetch --refetch --no-filter origin {revision.name}"


class _Texts:
    """Asks ``git cat-file --batch`` for one blob at a time (git-cat-file(1), "BATCH OUTPUT")."""

    def __init__(self, reader: subprocess.Popen[bytes]) -> None:
        self._reader = reader

    def __call__(self, id: str) -> bytes | None:
        given, told = self._reader.stdin, self._reader.stdout
        assert given is not None
        assert told is not None
        try:
            given.write(id.encode("ascii") + b"\n")
            given.flush()
        except BrokenPipeError:
            raise Misuse(_LOST) from None
        head = told.readline().split()
        if len(head) != 3:
            raise Misuse(_LOST)
        return _taken(told.read, int(head[2]))


_LOST = "--compare-with: a file of the revision is not in this clone (a partial clone: git fetch --refetch --no-filter)"


def _taken(read: object, size: int) -> bytes | None:
    """A text, and the line end behind it; of what is too large nothing is kept."""
    take = read
    if size <= MAX_BYTES:
        return bytes(take(size + 1)[:-1])  # type: ignore[operator]
    left = size + 1
    while left > 0 and (piece := take(min(left, MAX_BYTES))):  # type: ignore[operator]
        left -= len(piece)
    return None


def _ignored(git: Git, paths: list[str]) -> set[str]:
    """Which of these files git ignores. It answers 1 where it ignores none."""
    inside = [path for path in paths if not path.startswith(("/", ".."))]
    ran = git.run("check-ignore", "-z", "--stdin", given=b"\0".join(os.fsencode(path) for path in inside))
    return {os.fsdecode(path) for path in ran.stdout.split(b"\0") if path}
