"""A preset of the catalog as settings of a run, all from the line that names it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from budgetlint.base.record import replace
from budgetlint.settings.run import Origin, Setting, Settings

if TYPE_CHECKING:
    from budgetlint.catalog.presets import Preset


def preset(framework: str, name: str, origin: Origin) -> Settings | None:
    """The settings of a framework's preset, or None where it has none of this name."""
    from budgetlint.catalog.presets import find_preset  # the catalog is read only where a preset may be named

    found = find_preset(framework, name)
    return preset_settings(found, origin) if found is not None else None


def preset_settings(found: Preset, origin: Origin) -> Settings:
    """A value that hangs on the trainer's version keeps both readings; one that the trainer fills in is ``auto``."""
    said = replace(origin, note=f"{found.name}: {found.source}")
    return Settings(_setting(name, value, said, found.name) for name, value in found.rows)


def _setting(name: str, value: Any, origin: Origin, text: str) -> Setting:
    from budgetlint.catalog.presets import AUTO, Versions

    if isinstance(value, Versions):
        words = f"{text}: {value.newer} since {value.since}, {value.older} before"
        return Setting(name, None, origin, words, "auto", readings=(value.newer, value.older))
    if value is AUTO:
        return Setting(name, None, origin, AUTO, "auto")
    return Setting(name, value, origin, text)
