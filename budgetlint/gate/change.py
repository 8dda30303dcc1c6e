"""One difference between the gate of a revision and today's."""

from __future__ import annotations

from budgetlint.base.record import record
from budgetlint.base.source import Location

LOOSENS, TIGHTENS, NEITHER, BY_EFFECT = "loosens", "tightens", "neither", "by effect"
"""Which way a difference goes. ``BY_EFFECT``: it loosens where a run is answered more mildly with it than without."""


@record
class GateChange:
    """``what`` is the kind of thing (``reserve``, ``allow``, ``levels``), ``was`` and ``now`` its two texts, empty where it came or went.
    ``location`` is where it stands today, or the file that it went from; ``governs`` the file whose runs it is about, empty for all."""

    what: str
    was: str
    now: str
    way: str
    location: Location
    governs: str = ""

    @property
    def told(self) -> str:
        """``'reserve 3GiB' became 'reserve 1GiB'``."""
        if self.was and self.now:
            return f"'{self.was}' became '{self.now}'"
        return f"'{self.now}' is new" if self.now else f"'{self.was}' is gone"
