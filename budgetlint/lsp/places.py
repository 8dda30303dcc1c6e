"""Where a document belongs: to a folder of the workspace, to its repository, to its own folder; and its path there.

Editors name one file in several ways: through a link (``/tmp`` is ``/private/tmp`` on macOS), before it has a name, in no folder at
all. A folder that is somebody's whole home is not searched for configs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from budgetlint.files.disk import repository_top
from budgetlint.lsp.uris import path_of, shown

NOWHERE = Path("/budgetlint-nowhere")
"""The folder of what is no file: an old version in a comparison, the output of a program."""

LONGEST = 60
"""Characters of such a name, from its end: every file system takes a name of that length."""

SUFFIXES = {
    "yaml": ".yaml", "json": ".json", "jsonc": ".json", "toml": ".toml", "budget": ".budget", "python": ".py", "shellscript": ".sh",
    "dockerfile": ".dockerfile", "makefile": ".mk",
}  # fmt: skip
"""By the editor's name of the language: what a text that was never saved would be called."""


def folders(roots: Iterable[Path]) -> list[Path]:
    """The folders of a workspace that are searched for configs: not a whole disk, not a home."""
    return [root for root in dict.fromkeys(roots) if not _too_wide(root)]


def is_searched(root: Path, roots: Iterable[Path]) -> bool:
    """Is everything below this folder looked at, or only what lies in it?"""
    return root in roots or (repository_top(root) is not None and not _too_wide(root))


def _too_wide(folder: Path) -> bool:
    try:
        return folder in (folder.parent, Path.home())
    except RuntimeError:  # nobody's home is known
        return folder == folder.parent


def placed(uri: str, language: object, roots: Iterable[Path]) -> tuple[Path, str]:
    """The folder that a document belongs to, and its path there: the innermost of the workspace's, else that of `_alone`."""
    path = path_of(uri)
    if path is None:
        return _unsaved(uri, language, roots)
    for one, real in ((path, False), (Path(os.path.realpath(path)), True)):
        holding = [(root, base) for root in roots if one.is_relative_to(base := Path(os.path.realpath(root)) if real else root)]
        if holding:
            root, base = max(holding, key=lambda pair: len(pair[1].parts))
            return root, shown(one, base)
    root = _alone(path)
    return root, shown(path, root)


def _unsaved(uri: str, language: object, roots: Iterable[Path]) -> tuple[Path, str]:
    scheme, _, rest = uri.partition(":")
    name = rest.partition("?")[0].rpartition("/")[2][-LONGEST:] or "untitled"
    if scheme != "untitled":
        return NOWHERE, name
    return next(iter(roots), NOWHERE), name if "." in name else name + SUFFIXES.get(str(language), "")


def _alone(path: Path) -> Path:
    """The repository of a file outside the workspace, else its own folder."""
    top = repository_top(path.parent)
    return path.parent if top is None or _too_wide(top) else top
