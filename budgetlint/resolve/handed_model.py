"""The numbers of a model from outside, checked by the statement that they would be in a budget."""

from __future__ import annotations

import re

from budgetlint.base.source import SourceFile
from budgetlint.settings.typed import WrongType, shown

_NAME, _WORD = re.compile(r"[a-z_]{1,40}"), re.compile(r"[\w.-]{1,60}")
MOST = 40
"""Fields of an architecture."""


def custom_numbers(value: object) -> tuple[tuple[str, object], ...]:
    """Pairs of a field and its value, as ``model custom`` has them. Raises `WrongType`."""
    from budgetlint.language import read_budget  # few runs name a model by numbers

    words = [_said(pair) for pair in value[:MOST]] if isinstance(value, list) else []
    if not words:
        raise WrongType(f"{shown(value)} stands where model_custom has pairs of a field and its value")
    budget = read_budget(SourceFile("model_custom", f"model custom {' '.join(words)}"))
    if budget.problems:
        raise WrongType(f"no model: {budget.problems[0].message}")
    found: tuple[tuple[str, object], ...] = budget.runs[0].settings["model_custom"].value
    return found


def _said(pair: object) -> str:
    name, value = pair if isinstance(pair, list) and len(pair) == 2 else (None, None)
    word = {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
    if not isinstance(name, str) or not _NAME.fullmatch(name) or not _WORD.fullmatch(word):
        raise WrongType('model_custom has pairs of a field and its value: ["hidden", 2048]')
    return f"{name}={word}"
