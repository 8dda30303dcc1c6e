"""Folders of paths as texts: nothing of a disk is asked."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator


def folders_above(folder: str) -> Iterator[str]:
    """The folders above one, the nearest first: of a relative path the last is the empty one, of an absolute one the root, which is its
    own parent."""
    while folder and (parent := posixpath.dirname(folder)) != folder:
        folder = parent
        yield folder
