"""A default that follows from another setting: an evaluation batch from the micro batch, an alpha from the rank."""

from __future__ import annotations

from typing import Any

from budgetlint.settings.run import Origin, OriginKind, Setting


def derived(name: str, value: Any, note: str, follows: Setting | None) -> Setting:
    """``value``, or as unknown as the setting it follows from."""
    origin = Origin(OriginKind.DERIVED, note=note)
    if follows is not None and not follows.known:
        return Setting(name, None, origin, follows.text, state=follows.state)
    return Setting(name, value, origin, str(value))
