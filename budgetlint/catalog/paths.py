"""The name in a path: of a checkpoint's folder, of a cache's, of what a hub calls the same."""

from __future__ import annotations

from budgetlint.base.expression import expression

_REVISION = expression(r"/snapshots/[^/]+$")
_INSIDE = ("/model", "/main")
"""Folders that hold a checkpoint for the one above them: of exports (``model``), of a branch (``main``)."""
_CACHED = expression(r"(?:^|/)models--([^/]+)$")


def named(text: str) -> str:
    """The id or path without what only says where a checkpoint lies: ``models--OWNER--NAME/snapshots/REVISION`` (huggingface_hub 1.0
    ``file_download.py`` repo_folder_name; an id has no ``--``), ``NAME/model``, ``NAME/main``; ``___`` for each dot (modelscope 1.40
    ``hub/utils/utils.py``)."""
    path = text.replace("\\", "/").rstrip("/")
    cached = _REVISION.sub("", path)
    if cached == path:
        for inside in _INSIDE:
            cached = cached.removesuffix(inside).rstrip("/") or cached
    found = _CACHED.search(cached)
    if found is not None:
        cached = found[1].replace("--", "/")
    elif cached != path and "--" in cached.rpartition("/")[2]:
        cached = cached.rpartition("/")[2].replace("--", "/")
    return cached.replace("___", ".")


def last_part(text: str) -> str:
    return text.replace("\\", "/").rstrip("/").rpartition("/")[2].strip()


_FOLDERS = frozenset((
    "model", "models", "hf_models", "base_models", "pretrained", "pretrained_model", "pretrained_models", "checkpoint",
    "checkpoints", "ckpt", "ckpts", "weights", "output", "outputs", "out", "runs", "results", "saves", "data", "merged",
))  # fmt: skip
"""Folders that hold models, and no owner on a hub."""


def is_local(text: str) -> bool:
    """A path of a disk for sure: ``owner/name`` may be either."""
    path = text.replace("\\", "/").rstrip("/")
    return path.partition("/")[0].lower() in _FOLDERS or path.startswith((".", "/", "~", "$")) or path.count("/") > 1 or path[1:2] == ":"
