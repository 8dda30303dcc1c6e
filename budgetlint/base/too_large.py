"""The finding `too-large`: a file holds more of something than is read (`budgetlint.base.limits`), so not all of it is judged."""

from __future__ import annotations

from budgetlint.base.finding import Confidence, Finding, Severity
from budgetlint.base.limits import CURE, Bound, told
from budgetlint.base.source import Location

CODE, NAME = "BL915", "too-large"


def too_large(bound: Bound, at: Location, found: int | None = None, *, message: str = "", cure: str = CURE) -> Finding:
    """``found`` is how many there are, None where nobody counted to the end. ``at`` is where reading stopped, or the file."""
    message = message or f"{at.file} holds {told(bound, found)}"
    return Finding(CODE, NAME, Severity.ERROR, Confidence.HIGH, message, at, cure)
