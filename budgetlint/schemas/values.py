"""The schema of a key with a closed set of values."""

from __future__ import annotations

from typing import Any

from budgetlint.catalog.choice import Choice

FILLED_IN = {"type": "string", "pattern": r"\$|\{\{|<"}
"""A text that something else fills in (``${VAR}``, ``{{ name }}``, ``<YOUR_PATH>``)."""

_SPOKEN = {True: ("true", "yes", "on"), False: ("false", "no", "off")}
"""Words that YAML 1.1 reads as a switch: an unquoted ``no`` reaches the framework as false, and a schema too."""


def value_schema(choice: Choice) -> dict[str, Any]:
    """An open set offers its words and takes any other; a switch takes what some loader reads as one."""
    if {"true", "false", "yes", "no"} <= choice.values.keys() and choice.is_open:
        return {"type": ["boolean", "string", "integer", "null"]}
    told = [f"{value.name} from {choice.package} {value.since} on" for value in choice.values.values() if value.since]
    words: list[object] = list(choice.values)
    if choice.is_open:
        return {"anyOf": [{"enum": words}, {}]} | _described(told)
    names = {name.lower() for name in choice.values}
    words += [switch for switch, spoken in _SPOKEN.items() if names.intersection(spoken)]
    other = [{"type": "string", "pattern": f"^({'|'.join(map(_any_case, choice.values))})$"}] if choice.folds else []
    return {"anyOf": [{"enum": [*words, None]}, *other, FILLED_IN]} | _described(told)


def _described(told: list[str]) -> dict[str, Any]:
    return {"description": "; ".join(told)} if told else {}


def _any_case(word: str) -> str:
    """``bf16`` as ``[bB][fF]16``: patterns of JSON Schema have no switch for it."""
    return "".join(f"[{char.lower()}{char.upper()}]" if char.isalpha() else char for char in word)
