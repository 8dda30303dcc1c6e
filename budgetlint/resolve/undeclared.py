"""What a run leaves open that only its budget describes: both ends of each choice that decides memory, never a framework's default."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import replace
from budgetlint.readers.base import ENDS, default, unsettled
from budgetlint.settings.run import UNSAID, Setting, Settings

_ENDS = {**ENDS, "attention": ("flash", "eager")}
"""Beside what a script of its own decides, the kernel of attention: eager keeps the scores of every head, flash none."""


def with_unsaid(settings: Settings, claims: Settings, why: str) -> Settings:
    """The settings with what the budget says, and the rest unresolved. How many machines a launcher takes, it says itself."""
    said = settings.filled(claim for claim in claims.values() if claim.name != "nodes")
    return said.filled(_unsaid(said, f"{UNSAID}: {why}"))


def _unsaid(said: Settings, note: str) -> Iterator[Setting]:
    if said.value("adapter") == "none":
        yield default("quant", "none", "full training")
    for name, readings in _ENDS.items():
        if name != "weights_dtype" or "precision" not in said:
            yield unsettled(name, readings, note)
    if said.value("devices", 1) > 1:
        yield replace(unsettled("shard", (), note), state="symbolic", text="not said")
