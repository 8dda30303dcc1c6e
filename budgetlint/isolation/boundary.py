"""How far a repository's own paths reach: what a config, a budget or a settings file names stays inside the checkout, links followed.

What the user names may lie anywhere, and brings its own checkout along. A link *inside* the checkout that leads out of it is the
repository's, whoever names it: a hook is handed the names that git knows.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from budgetlint.base.record import record
from budgetlint.base.source import UnreadableFile
from budgetlint.isolation.checkout import checkout_of, holds

LEADS_OUT = "leads out of the project"


@record
class Boundary:
    """``tops`` are real paths of folders, ``written`` the first of them by the name that the working directory has, which may lead over
    a link."""

    tops: tuple[str, ...]
    written: str

    def has(self, real: str) -> bool:
        """Does a real path lie inside?"""
        return any(holds(top, real) for top in self.tops)

    def place_of(self, path: str | Path) -> str | None:
        """The real path of a file or folder, where it lies inside; None where it leads out, or in a circle."""
        try:
            real = os.path.realpath(path)
        except OSError:
            return None
        return real if self.has(real) else None

    def holds_text(self, path: str) -> bool:
        """Does a path lie inside by its text, whatever its links say?"""
        whole = os.path.normpath(path)
        return any(holds(top, whole) for top in (*self.tops, self.written))

    def refused(self, path: str) -> UnreadableFile:
        """Why a path is not followed."""
        return UnreadableFile(
            path, LEADS_OUT, "keep the file in the project, or name it on the command line by the path where it really lies"
        )


def boundary_of(root: Path, named: Iterable[str] = ()) -> Boundary:
    """Around the checkout that the working directory is part of, and those of what the user names beyond it."""
    top = checkout_of(str(root))
    found = Boundary((top,), _written_top(str(root), top))
    for name in named:
        whole = os.path.join(root, name)  # noqa: PTH118
        if not found.holds_text(whole):
            found = Boundary((*found.tops, _top_of(whole)), found.written)
    return found


def _top_of(named: str) -> str:
    """The checkout of what the user names; of something in the root folder itself only that."""
    top = checkout_of(named)
    return os.path.realpath(named) if os.path.dirname(top) == top else top  # noqa: PTH120


def _written_top(root: str, real_top: str) -> str:
    """The top by the name that the working directory itself has, which may lead over a link."""
    inside = os.path.relpath(os.path.realpath(root), real_top)
    return os.path.normpath(root if inside == "." else root.removesuffix(os.sep + inside))
