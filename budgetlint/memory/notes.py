"""What a plan had to assume, and what it could not know: collected while settings become a plan."""

from __future__ import annotations

from budgetlint.base.record import field, open_state, record


@record
class Assumption:
    """A default or an approximation that the figures rest on."""

    text: str
    setting: str = ""


@open_state
class Notes:
    assumptions: list[Assumption] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def assume(self, text: str, setting: str = "") -> None:
        note = Assumption(text, setting)
        if note not in self.assumptions:
            self.assumptions.append(note)
