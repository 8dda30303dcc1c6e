"""Keys and values as the words of a shell, and as a call in Python."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def flags_of(values: Mapping[str, Any]) -> str | None:
    """As words of a shell: lists as several words, blocks as JSON. None where something is null, which no flag says."""
    words: list[str] = []
    for key, given in values.items():
        value = _word_of_switch(given) if key.endswith("_strategy") else given
        if value is None or (isinstance(value, list) and not value):
            return None
        listed = value if isinstance(value, list) else [value]
        words += [f"--{key}", *(_word(one) for one in listed)]
    return " ".join(words)


def _word_of_switch(value: Any) -> Any:
    """A bare ``no`` of YAML is false; a flag of words says the word."""
    return {False: "no", True: "yes"}.get(value, value) if isinstance(value, bool) else value


def _word(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return f"'{json.dumps(value)}'"
    text = str(value)
    return text if text and text.isascii() and all(letter.isalnum() or letter in "-_./:=,@+" for letter in text) else f"'{text}'"


def call(name: str, values: Mapping[str, Any], *first: str) -> str:
    return f"{name}({', '.join((*first, *(f'{key}={value!r}' for key, value in values.items())))})"
