"""``[tool.budgetlint]`` of a revision beside today's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from budgetlint.base.finding import Severity
from budgetlint.base.source import Location, SourceFile
from budgetlint.config.config import TABLE, Config
from budgetlint.gate.change import NEITHER, GateChange
from budgetlint.gate.classes import SETTING_CLASSES, settings_of


def settings_changes(was: Config, now: Config) -> Iterator[GateChange]:
    before, after = settings_of(was), settings_of(now)
    for key, way_of in SETTING_CLASSES.items():
        way = way_of(before[key], after[key])
        if before[key] != after[key] and way != NEITHER:
            yield GateChange(key, _told(key, before[key]), _told(key, after[key]), way, _place(now, key))


def _told(key: str, value: Any) -> str:
    if not value and value is not False:
        return ""
    if isinstance(value, Severity):
        value = value.value
    if isinstance(value, Mapping):
        value = ", ".join(f"{name} {word if isinstance(word, str) else ' '.join(word)}" for name, word in value.items())
    if isinstance(value, tuple):
        value = ", ".join(map(str, value))
    return f"{key}: {value if not isinstance(value, bool) else str(value).lower()}"


def _place(config: Config, key: str) -> Location:
    """The line of the key, else the table, else the file."""
    source = config.source
    if source is None:
        return Location("pyproject.toml")
    found = re.search(rf"^\s*(?:{re.escape(key)}\s*=|\[+{re.escape(TABLE)}\.{re.escape(key)}\b)", source.text, re.MULTILINE)
    at = found.end() if found else max(source.text.find(f"[{TABLE}"), 0)
    line = source.text.count("\n", 0, at) + 1
    return Location(source.path, line, 1, line, 1)


def rest_of(source: SourceFile | None) -> str:
    """A pyproject.toml without the table: where that is the same, nothing else of it changed."""
    if source is None:
        return ""
    kept, mine = [], False
    for line in source.text.splitlines():
        if line.lstrip().startswith("["):
            mine = line.lstrip(" [").startswith(TABLE)
        if not mine and line.strip():
            kept.append(line.rstrip())
    return "\n".join(kept)
