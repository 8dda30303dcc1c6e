"""Looking up a row by what people and programs call it: exact after folding, else candidates or near names, never a guess."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from budgetlint.base.record import record
from budgetlint.base.suggest import near_names


@record
class NoMatch:
    """No unique row. ``candidates``: the rows the text could mean; ``suggestions``: near names. Never auto-corrected."""

    text: str
    candidates: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()


_SEPARATORS = str.maketrans(dict.fromkeys(" _/+()[],", "-"))


def fold(text: str) -> str:
    """Lower case, one ``-`` for every run of blanks, underscores, slashes and brackets: ``RTX 4090`` -> ``rtx-4090``."""
    folded = text.lower().translate(_SEPARATORS)
    if "--" not in folded:  # nearly every name of the catalog, which is folded whole before the first look-up
        return folded.strip("-")
    return "-".join(part for part in folded.split("-") if part)


def squeeze(text: str) -> str:
    """Folded without separators, so that ``rtx4090``, ``RTX-4090`` and ``RTX 4090`` are one key."""
    return fold(text).replace("-", "")


def prefixed(text: str, keys: Mapping[str, str]) -> tuple[str, ...]:
    """Rows (values of ``keys``) with a folded key that goes on where ``text`` stops: ``v100-sxm2`` -> both V100-SXM2 cards."""
    start = fold(text) + "-"
    return unique(name for key, name in keys.items() if key.startswith(start))


def near(text: str, keys: Mapping[str, str], most: int = 3) -> tuple[str, ...]:
    """Rows with a folded key spelled like ``text``, likeliest first."""
    return unique(keys[key] for key in near_names(fold(text), keys, most=3 * most))[:most]


def unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
