"""Scripts that train under Unsloth."""

from __future__ import annotations

from budgetlint.rule import RunContext, mentions


def is_unsloth(run: RunContext) -> bool:
    """Unsloth puts trainers and kernels of its own in TRL's place, and pads and packs as it likes (2024.8 to 2026.10 ``models/rl.py``)."""
    return any(mentions(reading.document.source, ("unsloth", "Unsloth", "UNSLOTH")) for reading in run.run.readings)
