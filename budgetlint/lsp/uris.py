"""Paths and the URIs that editors name them by (RFC 8089)."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit


def path_of(uri: str) -> Path | None:
    """The path of a ``file:`` URI; None for a text that lies nowhere (``untitled:Untitled-1``)."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file":
        return None
    path = unquote(parts.path)
    if parts.netloc not in ("", "localhost"):  # a share of another machine: RFC 8089, E.3.1
        path = f"//{parts.netloc}{path}"
    if len(path) > 2 and path[0] == "/" and path[2] == ":":  # /C:/run.yaml
        path = path[1:]
    return Path(os.path.normpath(path)) if _is_name(path) else None


def _is_name(path: str) -> bool:
    """Can there be a file of this name? No file system takes a NUL, a half of a character, or a name without end."""
    try:
        os.lstat(path)
    except ValueError:
        return False
    except OSError as wrong:
        return wrong.errno != errno.ENAMETOOLONG
    return True


def uri_of(path: Path) -> str:
    text = path.as_posix()
    start = "file:" if text.startswith("//") else "file://" if text.startswith("/") else "file:///"
    return start + quote(text, safe="/:@!$&'()*+,;=~")


def shown(path: Path, root: Path) -> str:
    """A path as budgetlint names it: relative to the root where it lies below, with forward slashes."""
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return Path(os.path.relpath(path, root)).as_posix()
