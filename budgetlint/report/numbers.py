"""A finding's numbers as text. The unit is in the name: ``need_bytes`` is shown in GiB, ``seq_tokens`` as tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from budgetlint.base.plain_text import one_line
from budgetlint.base.units import gib

_UNITS = ("tokens", "steps", "devices", "sequences", "parameters", "params", "elements", "layers", "percent")


def shown_numbers(numbers: Mapping[str, Any]) -> str:
    """``need 31.20 GiB, limit 27.00 GiB``."""
    return ", ".join(_shown(name, value) for name, value in numbers.items() if value is not None)


def _shown(name: str, value: Any) -> str:
    words = name.split("_")
    if words[-1] == "bytes" and isinstance(value, int):
        return f"{' '.join(words[:-1])} {gib(value)}".strip()
    unit = f" {words[-1]}" if words[-1] in _UNITS and len(words) > 1 else ""
    return f"{' '.join(words[:-1] if unit else words)} {_figure(value)}{unit}"


def _figure(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:g}" if isinstance(value, float) else one_line(str(value))
