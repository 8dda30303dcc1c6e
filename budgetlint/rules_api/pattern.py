"""Which rules a word means: a code, a name, a family, a glob, or all."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache

from budgetlint.rules_api.rule import Rule


@cache
def matches(pattern: str, rule: Rule) -> bool:
    """Does a pattern mean this rule? Code, name or alias; family (``BL2`` or ``BL2*``); a glob over names (``fp16-*``); ``all``."""
    words = (rule.code, rule.name, *rule.aliases)
    if pattern in words or pattern.upper() == rule.code or pattern in _EVERY:
        return True
    if _is_glob(pattern):
        return any(fnmatchcase(word, pattern) for word in words) or fnmatchcase(rule.code, pattern.upper())
    return _is_family(pattern) and rule.code.startswith(pattern.upper())


_EVERY = ("all", "ALL", "*")


def _is_glob(pattern: str) -> bool:
    return any(character in pattern for character in "*?[")


def _is_family(pattern: str) -> bool:
    """Letters, then fewer digits than a code has: ``BL``, ``BL2``, ``BL20``."""
    letters = pattern.rstrip("0123456789")
    return letters.isalpha() and letters.isupper() and len(pattern) - len(letters) < 3


def is_exact(pattern: str, rule: Rule) -> bool:
    """Named itself, not as one of a family."""
    return pattern.upper() == rule.code or pattern in (rule.name, *rule.aliases)


def is_open(pattern: str) -> bool:
    """May it mean several rules?"""
    return pattern in _EVERY or _is_glob(pattern) or _is_family(pattern)
