"""The finding `too-large`: a file holds more of something than is read (`budgetlint.limits`), so not all of it is judged."""

from __future__ import annotations

from budgetlint.finding import Confidence, Finding, Severity
from budgetlint.limits import Bound
from budgetlint.source import Location

CODE, NAME = "BL915", "too-large"
CURE = "split it, or leave it out of the check"


def too_large(bound: Bound, at: Location, found: int | None = None, cure: str = CURE) -> Finding:
    """``found`` is how many there are, None where nobody counted to the end. ``at`` is where reading stopped, or the file."""
    message = f"{at.file} holds {told(bound, found)}"
    return Finding(CODE, NAME, Severity.ERROR, Confidence.HIGH, message, at, cure, numbers=_numbers(bound, found))


def told(bound: Bound, found: int | None = None) -> str:
    """``40,000 documents: 1,000 are read``."""
    if found is None:
        return f"more than {bound.most:,} {bound.counted}: no more are read"
    return f"{found:,} {bound.counted}: {bound.most:,} are read"


def _numbers(bound: Bound, found: int | None) -> dict[str, int]:
    return {"most": bound.most} | ({} if found is None else {"found": found})
