"""How many runs of one file are judged: 300 runs on 300 targets are 25 kB of budget, and 90,000 estimates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from budgetlint.base.finding import Finding
from budgetlint.base.limits import JUDGED
from budgetlint.base.record import field, open_state
from budgetlint.base.source import Location
from budgetlint.base.too_large import too_large
from budgetlint.resolve.state import Collected
from budgetlint.rules_api.context import RunContext

CURE = "the others are not judged: split the file, or name fewer targets (`on`) and cells"
ASSERTS_A_RUN = 16
"""So many asserts cost what one more run does: 0.1 ms each beside 1.5 ms for an estimate and the rules."""


@open_state
class Allowance:
    """What each file has asked for so far, in runs."""

    asked: Counter[str] = field(default_factory=Counter)
    past: dict[str, None] = field(default_factory=dict)
    """Files that asked for more than they had, in order."""

    def within(self, run: Collected, contexts: Iterable[RunContext]) -> Iterator[RunContext]:
        """As many of the contexts of a run as the file that makes them has left; the others are not worked out."""
        rest = iter(contexts)
        cost = 1 + (len(run.budget_run.asserts) // ASSERTS_A_RUN if run.budget_run else 0)
        for file in _askers(run):
            if file is not None and self.asked[file] >= JUDGED.most:
                if file not in self.past and next(rest, None) is not None:
                    self.past[file] = None
                return
            context = next(rest, None)
            if context is None:
                return
            if file is not None:
                self.asked[file] += cost
            yield context

    def findings(self) -> Iterator[Finding]:
        """One for each file that asked for more."""
        return (too_large(JUDGED, Location(file), cure=CURE) for file in self.past)


def _askers(run: Collected) -> Iterator[str | None]:
    """Which file each context of a run is counted against: the trainer's own for the first, its budget for every further target and
    cell. A budget that binds a thousand configs makes no more runs than they do."""
    budget = run.budget.path if run.budget is not None else None
    yield run.readings[0].document.path if run.readings else budget
    while True:
        yield budget
