"""Paths as a repository knows them: code hosts count from its top, whatever the working directory is."""

from __future__ import annotations

import posixpath

from budgetlint.base.record import record

TEXTS = frozenset({"-", "<stdin>", "--budget", "<command>"})
"""Names of texts that are no files: standard input, ``--budget``, a launch command."""


@record
class Tree:
    """``root`` is the working directory, ``top`` the top of its repository (the working directory itself where there is none);
    absolute, with slashes. Both empty: paths stay as they are."""

    root: str = ""
    top: str = ""

    def path(self, file: str) -> str:
        """A file of a finding as seen from the top; absolute where it lies outside."""
        if file in TEXTS or not self.top:
            return file.removeprefix("./")
        whole = posixpath.normpath(posixpath.join(self.root, file.replace("\\", "/")))
        inside = self.top.rstrip("/") + "/"
        return whole[len(inside) :] if whole.startswith(inside) else whole


def uri(path: str) -> str:
    """A path as a URI reference: percent-encoded, bytes that are no text too; an absolute path as ``file:///…``."""
    from urllib.parse import quote

    coded = quote(_raw(path), safe="/")
    return f"file://{coded}" if path.startswith("/") else coded


def _raw(path: str) -> bytes:
    """The bytes that a file system gave for a path; a path that only a config names may have none."""
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogatepass")
