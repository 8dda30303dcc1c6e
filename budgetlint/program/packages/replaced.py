"""Functions of packages that the program puts its own in the place of: ``transformers.AutoModelForCausalLM.from_pretrained = mine``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from budgetlint.program.objects import Object
from budgetlint.program.state import Interpreter, Launched
from budgetlint.program.values import Value

_REPLACED = "python.<replaced>"


def _key(name: str) -> str:
    """A class by the package that offers it, wherever it stands in it."""
    parts = name.split(".")
    return ".".join((parts[0], *parts[-2:])) if len(parts) > 2 else name


def replace(it: Interpreter, name: str, value: Value) -> None:
    """From here on, this is what the name of the package stands for."""
    kept = it.parts.constants.get(_REPLACED)
    if isinstance(kept, Object):
        it.heap.write(kept, _key(name), value)


def replaced(it: Interpreter, name: str) -> Value | None:
    """What the program put there; None where it put nothing."""
    kept = it.parts.constants.get(_REPLACED)
    return kept.attributes.get(_key(name)) if isinstance(kept, Object) and kept.attributes else None


def _started(launched: Launched) -> Value:
    return Object(_REPLACED)


MADE: Mapping[str, Callable[[Launched], Value]] = {_REPLACED: _started}
