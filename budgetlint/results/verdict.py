"""The answer for one run on one target."""

from __future__ import annotations

from budgetlint.base.record import record
from budgetlint.memory.estimate import Fork, Opened, Supposed, Verdict
from budgetlint.memory.term import Term
from budgetlint.settings.run import run_label


@record
class RunVerdict:
    """The answer for one run on one target. ``need`` and ``limit`` in bytes; ``missing`` names what is not known.

    ``judged`` is False where no budget says what the device offers: then there is nothing to compare with. ``bill`` is what is live
    in ``peak_phase``, and adds up to ``need``; ``least`` is what the need is at least where it has no upper end, else None.
    ``reason``, ``forks``, ``opened``, ``leaning``, ``over`` and ``supposes`` are those of the estimate; ``stops`` the codes of the errors
    for which the run does not start, whatever it would need.
    """

    name: str
    target: str | None
    cell: str
    verdict: Verdict
    need: int | None
    limit: int | None
    missing: tuple[str, ...] = ()
    peak_phase: str = ""
    bill: tuple[Term, ...] = ()
    least: int | None = None
    reason: str | None = None
    forks: tuple[Fork, ...] = ()
    opened: tuple[Opened, ...] = ()
    leaning: Verdict | None = None
    over: int | None = None
    stops: tuple[str, ...] = ()
    supposes: Supposed | None = None

    @property
    def judged(self) -> bool:
        return self.verdict is not Verdict.UNKNOWN

    @property
    def label(self) -> str:
        """``sft``, ``sft@cloud`` or ``sft@cloud[seq=4096]``: the name that findings call the run by."""
        return run_label(self.name, self.target, self.cell)
