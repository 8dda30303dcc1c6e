"""A program by its name: never one of the checkout, whatever PATH says.

PATH is the user's, but parts of it can lead to files that somebody else wrote. An empty or a relative entry means the working directory
(POSIX.1-2017, 8.3 "PATH"); ``$PWD/tools`` and links to it lie inside the checkout; and Windows looks into the working directory before
all of PATH (CreateProcessW, "lpApplicationName"; `shutil.which`).
"""

from __future__ import annotations

import ntpath
import os
import posixpath
import re
from collections.abc import Callable
from types import ModuleType

from budgetlint.base.record import record
from budgetlint.isolation.checkout import checkout_of, top_of

WINDOWS_SUFFIXES = (".com", ".exe")
"""What CreateProcessW starts itself. PATHEXT adds batch files and scripts: cmd.exe would read the arguments of those once more, as
commands, and a branch may be called ``a&calc`` (CVE-2024-24576)."""


@record
class System:
    """How a system writes paths and names programs. ``resolve`` follows links; ``same`` and ``starts`` are asked of the disk."""

    paths: ModuleType
    separator: str
    absolute: re.Pattern[str]
    suffixes: tuple[str, ...]
    resolve: Callable[[str], str]
    same: Callable[[str, str], bool]
    starts: Callable[[str], bool]


def _same(one: str, other: str) -> bool:
    """One folder, in whatever letters a disk takes for the same."""
    try:
        return one == other or os.path.samefile(one, other)  # noqa: PTH121  (paths of other systems are texts here)
    except OSError:
        return False


def _starts(place: str) -> bool:
    return os.path.isfile(place) and os.access(place, os.X_OK)  # noqa: PTH113


WITH_DRIVE = re.compile(r"[A-Za-z]:[\\/]|\\\\[^\\]")
r"""``\bin`` and ``C:bin`` are places relative to the working directory (Microsoft, "Naming Files", fully qualified and relative paths)."""

WINDOWS = System(ntpath, ";", WITH_DRIVE, WINDOWS_SUFFIXES, os.path.realpath, _same, _starts)
POSIX = System(posixpath, ":", re.compile("/"), ("",), os.path.realpath, _same, _starts)
HERE = WINDOWS if os.name == "nt" else POSIX


def whole_checkout(folder: str | os.PathLike[str]) -> str:
    """`checkout_of`, and around it: what is checked out inside another repository, a submodule or a worktree, has a file for ``.git`` and
    belongs to that one too."""
    found = checkout_of(os.fspath(folder))
    while os.path.isfile(os.path.join(found, ".git")) and (outer := top_of(os.path.dirname(found))):  # noqa: PTH113, PTH118, PTH120
        found = outer
    return found


def usable_path(path: str, outside: str, system: System = HERE) -> list[str]:
    """The entries of a PATH that name a folder wherever one stands, and none in ``outside``."""
    entries = path.split(system.separator)
    return [entry for entry in entries if system.absolute.match(entry) and not lies_in(entry, outside, system)]


def find_program(name: str, path: str, outside: str, system: System = HERE) -> str | None:
    """The first of PATH that is, links resolved, no file of ``outside``; its absolute path."""
    folders = usable_path(path, outside, system)
    places = (system.paths.join(folder, name + suffix) for folder in folders for suffix in system.suffixes)
    return next((place for place in places if system.starts(place) and not lies_in(place, outside, system)), None)


def lies_in(place: str, folder: str, system: System = HERE) -> bool:
    """Is it this folder, or anything below it: as it is written, or with links resolved?"""
    return any(_below(one, folder, system) for one in (system.paths.normpath(place), system.resolve(place)))


def _below(above: str, folder: str, system: System) -> bool:
    last = ""
    while above != last:
        if system.same(above, folder):
            return True
        above, last = system.paths.dirname(above), above
    return False
