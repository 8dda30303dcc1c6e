"""Files that have another name now, found by their texts. What git makes of renames is not asked: it knows no file that is not added
yet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

ALIKE = 0.5
"""git's own measure of a renamed file: half of it is the same (git-diff(1), ``--find-renames``)."""
PAIRS = 40_000
"""More pairs of texts than that are not compared."""


def renamed_files(gone: Mapping[str, str], come: Mapping[str, str]) -> dict[str, str]:
    """The new name of each file that is gone and stands elsewhere, by its text: the same, else the likest of at least `ALIKE`."""
    found: dict[str, str] = {}
    by_text = {text: path for path, text in sorted(come.items(), reverse=True) if text.strip()}
    for path, text in sorted(gone.items()):
        if text in by_text:
            found[path] = by_text.pop(text)
    old = {path: _pieces(text) for path, text in gone.items() if path not in found}
    new = {path: _pieces(text) for path, text in come.items() if path not in found.values()}
    if len(old) * len(new) > PAIRS:
        return found
    likeness = sorted((-_alike(old[was], new[now]), was, now) for was in old for now in new if _suffix(was) == _suffix(now))
    for score, was, now in likeness:
        if -score >= ALIKE and was not in found and now not in found.values():
            found[was] = now
    return found


def _suffix(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2]


def _pieces(text: str) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for line in text.splitlines():
        counts[line] += len(line) + 1
    return counts


def _alike(old: Mapping[str, int], new: Mapping[str, int]) -> float:
    """The part of the larger text that stands in both, in characters of whole lines."""
    larger = max(sum(old.values()), sum(new.values()), 1)
    return sum(min(size, new.get(line, 0)) for line, size in old.items()) / larger
