"""Which keys a framework takes: the tables in `keys/`, written by ``benchmarks/generate_keys.py`` from the frameworks' own code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path

from budgetlint.base.record import record

KEYS = Path(__file__).with_name("keys")


@cache
def _file(name: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads((KEYS / f"{name}.json").read_text(encoding="utf-8"))
    return found


@cache
def _table(name: str) -> dict[str, frozenset[str]]:
    return {group: frozenset(words.split()) for group, words in _file(name)["groups"].items()}


@cache
def keys(name: str, *groups: str) -> frozenset[str]:
    """The keys of these groups of a table: the stem of a file in ``keys/``."""
    table = _table(name)
    return frozenset[str]().union(*(table[group] for group in groups))


def groups(name: str) -> tuple[str, ...]:
    """The groups of a table. In ``torchtitan`` they are the paths of its sections, and ``top``."""
    return tuple(_table(name))


@cache
def gone(name: str, group: str) -> Mapping[str, str]:
    """The keys of a group that the newest release does not know, with the release that dropped them (the first one read without)."""
    return dict(pair.split("=") for pair in _file(name)["gone"][group].split())


def releases(name: str) -> tuple[tuple[str, str, str], ...]:
    """The packages whose code a table was read in, each with the first and the last release."""
    from packaging.version import Version

    found: dict[str, list[str]] = {}
    for package, release in (source.rsplit(" ", 1) for source in _sources(name)):
        found.setdefault(package, []).append(release)
    return tuple((package, min(read, key=Version), max(read, key=Version)) for package, read in found.items())


@cache
def _sources(name: str) -> tuple[str, ...]:
    return tuple(json.loads((KEYS / f"{name}.json").read_text(encoding="utf-8"))["sources"])


SHORTEST = 7
"""Shorter names differ from others by two letters too easily (``seed``, ``fp16``, ``lr``)."""


@lru_cache(maxsize=4096)
def misspelt(word: str, known: frozenset[str]) -> str:
    """The one name that a long enough word misspells; empty where none or several are near."""
    if len(word) < SHORTEST or len(word) > (index := _alike(known)).longest + LONGEST_TAIL:
        return ""
    near: dict[int, list[str]] = {}
    for name in {name for shape in _shapes(word) for name in index.names.get(shape, ())}:
        if abs(len(name) - len(word)) <= 2 and len(name) >= SHORTEST - 1 and (errors := _slips(word, name)):
            near.setdefault(errors, []).append(name)
    best = near.get(1) or near.get(2) or _cut_or_grown(word, known)
    return best[0] if len(best) == 1 else ""


LONGEST_TAIL, SHORTEST_STEM = 4, 10


def _cut_or_grown(word: str, known: frozenset[str]) -> list[str]:
    """Names whose last part goes on where the word stops, or stops where it goes on: ``gradient_checkpoint`` for
    ``gradient_checkpointing``, ``sequence_length`` for ``sequence_len``."""
    found = []
    for name in known:
        short, long = sorted((word, name), key=len)
        tail = long[len(short) :]
        if len(short) >= SHORTEST_STEM and 2 < len(tail) <= LONGEST_TAIL and long.startswith(short) and tail.isalpha():
            found.append(name)
    return found


@record
class _Alike:
    """Names by what is left of them without one of their parts, or without underscores: a file may hold 50,000 unknown keys."""

    names: Mapping[object, list[str]]
    longest: int


@lru_cache(maxsize=256)
def _alike(known: frozenset[str]) -> _Alike:
    found: dict[object, list[str]] = {}
    for name in known:
        for shape in _shapes(name):
            found.setdefault(shape, []).append(name)
    return _Alike(found, max(map(len, known), default=0))


def _shapes(name: str) -> Iterator[object]:
    """Two names that differ by a slip share one of these."""
    parts = tuple(name.split("_"))
    yield "".join(parts)
    yield from ((*parts[:index], None, *parts[index + 1 :]) for index in range(len(parts)))


def _slips(word: str, name: str) -> int:
    """How many letters are wrong, 1 or 2; 0 for a name that is meant otherwise (``truncation_side``, ``truncation_mode``).

    One part of the name may be wrong, not only in its number: by one letter from four letters on, by two from eight. A lost
    or added underscore is one error.
    """
    left, right = word.split("_"), name.split("_")
    if len(left) != len(right):
        return 1 if word.replace("_", "") == name.replace("_", "") else 0
    wrong = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
    if len(wrong) != 1:
        return 0
    a, b = wrong[0]
    if a.strip("0123456789") == b.strip("0123456789"):
        return 0
    most = 2 if max(len(a), len(b)) >= 8 else 1 if max(len(a), len(b)) >= 4 else 0
    errors = distance(a, b, most)
    return errors if errors <= most else 0


def distance(left: str, right: str, most: int) -> int:
    """Typing errors between two words (insert, delete, change, swap of neighbours): Damerau's, cut off above ``most``."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        older, before, row = before, row, [i]
        for j, b in enumerate(right, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if older and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
