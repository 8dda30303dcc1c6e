"""Patterns of paths, the same wherever somebody writes one: ``exclude``, ``per-file-ignores``, ``in=``, ``config runs/*.yaml``.

A pattern is looked at folder by folder (gitignore(5), "PATTERN FORMAT"): ``*``, ``?`` and ``[…]`` stay within one name, ``**`` is any
number of folders, none too. Work is the product of both lengths, whatever the pattern is.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

from budgetlint.base.record import record

ANY = "**"


@record
class _Pattern:
    """``is_folder``: what it names must be one (``old/``)."""

    parts: tuple[str, ...]
    is_folder: bool


def those_named(pattern: str, paths: Iterable[str]) -> Iterator[str]:
    """The files among ``paths`` (as `posixpath.normpath` writes them) that `pathlib.Path.glob` finds by the pattern; ``**`` at its end
    finds folders only."""
    parts = posixpath.normpath(pattern).split("/")
    if parts[-1] == ANY:
        return
    least, is_exact = sum(part != ANY for part in parts), ANY not in parts
    for path in paths:
        names = path.split("/")
        if (len(names) == least if is_exact else len(names) >= least) and len(names) in _heads(parts, names):
            yield path


def is_excluded(patterns: Iterable[str], path: str, under: str = "") -> bool:
    """Does one of the patterns name this path, or a folder above it? A path that ends in a slash is a folder. ``under`` is a folder that
    somebody named: to leave it out, or what is above it, is no reason then (``budgetlint check old``).

    As git and ruff read it: ``old``, ``old/`` (folders only) and ``a.yaml`` at any depth; ``./old``, ``/old`` and ``a/old`` from where
    the paths begin; ``**/x`` anywhere.
    """
    above = len(_names(under))
    return any(_covers(_pattern(pattern), path, above) for pattern in patterns)


def names_file(pattern: str, path: str) -> bool:
    """As `is_excluded`, but ``ds/*.json`` is any folder ``ds``: the one who writes it may stand elsewhere than the one who checks.
    Only a leading slash holds a pattern to where the paths begin."""
    return _covers(_pattern(pattern, floats=not pattern.startswith(("/", "./"))), path)


@lru_cache(maxsize=4096)
def _pattern(text: str, *, floats: bool = False) -> _Pattern:
    parts = tuple(part for part in text.split("/") if part not in ("", "."))
    if parts and (floats or "/" not in text.rstrip("/")):
        parts = (ANY, *parts)
    if parts[-1:] == (ANY,):
        parts = (*parts, "*")  # everything inside, not the folder itself
    return _Pattern(parts, text.endswith("/"))


def _names(path: str) -> list[str]:
    return [name for name in path.replace("\\", "/").split("/") if name not in ("", ".")]


def _covers(pattern: _Pattern, path: str, above: int = 0) -> bool:
    if not pattern.parts:
        return False
    names = _names(path)
    folders = len(names) if path.endswith("/") else len(names) - 1
    return any(count <= folders or not pattern.is_folder for count in _heads(pattern.parts, names) if count > above)


def _heads(parts: Sequence[str], names: Sequence[str]) -> set[int]:
    """How many of the names, from the first, the whole pattern can stand for."""
    found = {0}
    for part in parts:
        if part == ANY:
            found = set(range(min(found), len(names) + 1)) if found else found
        else:
            found = {count + 1 for count in found if count < len(names) and fnmatchcase(names[count], part)}
    return found
