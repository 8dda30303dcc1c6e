"""An exception that somebody wrote down: which rule, who answers for it, why, until when, and what it holds back today."""

from __future__ import annotations

import datetime

from budgetlint.base.record import record
from budgetlint.base.source import Location

HOLDS, UNUSED, EXPIRED, WITHOUT_EFFECT = "holds", "unused", "expired", "without effect"
"""What a waiver does today: it holds findings back, finds none to hold back, its last day is over, it names no rule that can be waived,
or the policy does not let it count."""


@record
class Waiver:
    """``form``: ``comment``, ``budget`` or ``settings``, where it is written. ``held`` counts the findings that it holds back."""

    rule: str
    location: Location
    form: str
    reason: str = ""
    by: str = ""
    until: datetime.date | None = None
    in_files: str = ""
    key: str = ""
    held: int = 0
    state: str = HOLDS

    def days_left(self, today: datetime.date) -> int | None:
        """Days that it still holds, the last one included; None where it never ends."""
        return None if self.until is None else (self.until - today).days + 1
