"""Files of a framework whose recipes people write themselves, where the project has such a recipe and no command names both."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from budgetlint.base.record import replace
from budgetlint.base.source import SourceFile
from budgetlint.frameworks import format_of
from budgetlint.settings.consumer import ACCEPTED, SEVERAL, Consumer
from budgetlint.settings.run import Origin, OriginKind, Reading, Setting

_OPEN = ("devices", "shard")


def by_own_recipe(reading: Reading, scripts: Iterable[SourceFile]) -> Reading | None:
    """The file as the project's own recipe reads it, or as all that may. Where one of them runs in several processes, on how many devices
    and how the model lies there is open."""
    module, _, name = format_of(reading.format).recipes.partition(":")
    found = sorted(getattr(import_module(module), name)(reading.document, scripts)) if module else []
    if not found:
        return None
    names = " or ".join(path for path, _ in found)
    says = f"{names} asks for what it names, and no command says which recipe reads it"
    consumer = Consumer(names, ACCEPTED if len(found) == 1 else SEVERAL, followed=False, says=says)
    origin, text = Origin(OriginKind.DERIVED, note=f"no command starts {names}"), f"as {names} is started"
    opened = [Setting(name, None, origin, text, "symbolic") for name in _OPEN] if any(several for _, several in found) else []
    return replace(reading, consumer=consumer, settings=reading.settings.filled(opened))
