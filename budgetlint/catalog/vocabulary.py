"""Which keys a framework takes: the tables in `keys/`, written by ``benchmarks/generate_keys.py`` from the frameworks' own code."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files


@cache
def _table(name: str) -> dict[str, frozenset[str]]:
    text = (files("budgetlint.catalog") / "keys" / f"{name}.json").read_text(encoding="utf-8")
    return {group: frozenset(words.split()) for group, words in json.loads(text)["groups"].items()}


@cache
def keys(name: str, *groups: str) -> frozenset[str]:
    """The keys of these groups of a table (``hf``, ``axolotl``, ``accelerate``, ``llamafactory``, ``deepspeed``)."""
    table = _table(name)
    return frozenset[str]().union(*(table[group] for group in groups))


SHORTEST = 7
"""Shorter names differ from others by two letters too easily (``seed``, ``fp16``, ``lr``)."""


def misspelt(word: str, known: Iterable[str]) -> str:
    """The one name within two typing errors (one up to ten letters) of a long enough word; empty where none or several are."""
    allowed = 1 if len(word) <= 10 else 2
    if len(word) < SHORTEST:
        return ""
    near: dict[int, list[str]] = {}
    for name in known:
        if abs(len(name) - len(word)) <= allowed and len(name) >= SHORTEST - 1:
            near.setdefault(distance(word, name, allowed), []).append(name)
    best = next((near[errors] for errors in range(1, allowed + 1) if errors in near), [])
    return best[0] if len(best) == 1 else ""


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
