"""A part that raised: a bug in budgetlint or in a rule. It is contained to what it was at, and the check ends with exit code 2."""

from __future__ import annotations

from budgetlint.base.record import record


@record
class Crash:
    """``part`` says what raised: ``rule fp16-bf16-both``, ``reading``, ``estimating``; ``where`` on which file or run."""

    part: str
    where: str
    traceback: str

    @property
    def error(self) -> str:
        """``ValueError: bad``."""
        return self.traceback.strip().rpartition("\n")[2]

    @property
    def headline(self) -> str:
        """For whoever reports it, above the traceback."""
        return f"{self.part} {self.where} failed: a bug"
