"""Texts that name the project's own folder, of which nobody knows where it lies on the machine that trains.

`ROOT` stands for its absolute path: ``os.getcwd()`` is ``ROOT`` with the launch's folder, ``__file__`` is ``ROOT/train.py``. The mark in it
stands in no text that anybody writes: a text with it is known to be a path of the project, and nothing else is told of its characters.
"""

from __future__ import annotations

import posixpath
from pathlib import PurePosixPath

MARK = "\ue000"
"""A character of Unicode's private use."""
ROOT = f"/{MARK}"


def marked(value: object) -> bool:
    """Whether a plain value has the mark in it."""
    return MARK in value if isinstance(value, str) else isinstance(value, PurePosixPath) and MARK in str(value)


def settled(text: str) -> bool:
    """A text that may be told: without the mark, or a path below the project's folder."""
    return MARK not in text or ((text == ROOT or text.startswith(f"{ROOT}/")) and MARK not in text[len(ROOT) :])


def in_project(text: str, folder: str) -> str | None:
    """A path as the project names it, from its root; None for one that is elsewhere. ``folder``: where the program is started."""
    if text == ROOT or text.startswith(f"{ROOT}/"):
        inner = text[len(ROOT) + 1 :]
    elif text.startswith(("/", "~")) or MARK in text or "\0" in text or "://" in text:
        return None
    else:
        inner = posixpath.join(folder, text)
    found = posixpath.normpath(inner) if inner else "."
    return None if found == ".." or found.startswith(("../", "/")) else "" if found == "." else found


def unmarked(text: str) -> str:
    """A text as it may be shown: paths of the project from its folder."""
    return text.replace(f"{ROOT}/", "").replace(ROOT, ".").replace(MARK, "")
