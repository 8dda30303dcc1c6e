"""Layers that a program puts around a model: how many parameters they have, as a text that names the model's hidden size."""

from __future__ import annotations

from budgetlint.base.expression import expression
from budgetlint.base.numerals import LARGEST
from budgetlint.base.record import replace
from budgetlint.catalog.architecture import Architecture

OWN = "own_parameters"
"""Among the numbers of an architecture: parameters that are no part of the model's code."""
_TERM = expression(r"^(\d{1,15})(?: (hidden|hidden\^2))?$")


def written(parameters: tuple[int, int, int]) -> str:
    """``5 + 5 hidden + 1 hidden^2``: a number, how often the hidden size, how often its square."""
    words = ("", " hidden", " hidden^2")
    return " + ".join(f"{count}{word}" for count, word in zip(parameters, words, strict=True) if count) or "0"


def counted(text: str, hidden: int) -> int | None:
    """The parameters; None where the text says none."""
    whole = 0
    for part in text.split(" + "):
        found = _TERM.match(part)
        if found is None or not found.group(1).isascii():
            return None
        whole += int(found.group(1)) * {None: 1, "hidden": hidden}.get(found.group(2), hidden * hidden)
    return whole if whole <= LARGEST * LARGEST else None


def with_own(arch: Architecture, parameters: int) -> Architecture:
    """The model with so many parameters more."""
    return replace(arch, extra=(*arch.extra, (OWN, parameters))) if parameters else arch
