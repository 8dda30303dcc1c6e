"""The shape of an answer: phases, three totals, need and verdict."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

from budgetlint.base.record import field, open_record, record
from budgetlint.base.source import Location
from budgetlint.memory.notes import Assumption
from budgetlint.memory.term import ALLOCATED_BUCKETS, Bucket, Part, Term, written

if TYPE_CHECKING:
    from budgetlint.memory.plan import Plan, Sharding

    # an estimate keeps what was asked and what it offers, which are made of the words of estimates
    from budgetlint.memory.planner import Planned

    # the same run with short rows is an estimate of its own
    from budgetlint.memory.short_rows import ShortRows

    # what a card offers is compared with what an estimate needs
    from budgetlint.memory.standing import Capacity


class Verdict(Enum):
    FITS = "fits"
    TIGHT = "tight"
    DOES_NOT_FIT = "does-not-fit"
    UNKNOWN = "unknown"


@record
class Range:
    """Bytes: the best figure, the least and the most it can be. ``high`` None is an open end (something is not known)."""

    bytes: int
    low: int
    high: int | None

    def plus(self, other: Range) -> Range:
        high = None if self.high is None or other.high is None else self.high + other.high
        return Range(self.bytes + other.bytes, self.low + other.low, high)


DEPENDS, INCOMPLETE, NOT_MODELLED = "depends", "incomplete", "not-modelled"
"""Why a verdict is unknown."""

BROKEN = "budget"
"""What is missing of a run whose budget has a statement that was not understood."""
PROGRAM = "program"
"""The same of a run whose program stops before it trains, or is not known."""
UNREAD = "readings"
"""Missing where a file has had `limits.FILE_READINGS`, and this run asks for more."""
UNSEALED = "declaration"
"""Missing where the files that a declared run was written from are not what they were."""


ANOTHER = "another model"
"""The reading of a model that is not what its name suggests: nothing is known of it."""


@record
class Opened:
    """What is not known: a setting by its name, or a package whose version nobody states. ``place`` is where it is written, None where
    nothing is; ``text`` the value as written."""

    name: str
    place: Location | None = None
    text: str = ""


@record
class ForkReading:
    """One way to read what is open: a value for each setting of its fork, in words; what it changes; the need and the verdict then."""

    values: tuple[str, ...]
    because: str
    need: Range
    verdict: Verdict


@record
class Fork:
    """Settings (or package versions) on which the verdict depends, and how it is with each of their values, the newest or first first."""

    settings: tuple[Opened, ...]
    readings: tuple[ForkReading, ...]

    @property
    def spread(self) -> int:
        """Bytes between the least and the most that its readings need; an open end counts as the best figure."""
        needs = [reading.need for reading in self.readings]
        return max(need.bytes if need.high is None else need.high for need in needs) - min(need.low for need in needs)


@record
class Supposed:
    """A model whose name only suggests what it is: ``text`` as written, the rows that it suggests, and a line of a budget for each that
    settles it, where one can."""

    text: str
    models: tuple[str, ...]
    statements: tuple[str, ...]

    @property
    def cure(self) -> str:
        """What would settle it; where a line of a budget would be about other runs, too, a file beside the checkpoint."""
        return f"say in a budget what it is: {' or '.join(self.statements)}" if self.statements else "put its config.json at that path"


@record
class Excess:
    """What a reading that does not fit (or is too close) holds at its peak, the largest first, and how devices share it.
    ``checkpointed``: what it would need with every layer made again, where that is what lacks. ``plainly``: the reading in words, where it
    is none of the forks' but that of a run which trains as most do. ``share``: what of the buffers a rollout engine takes (``engine``)."""

    verdict: Verdict
    need: Range
    held: tuple[tuple[Bucket, int], ...]
    sharding: Sharding
    checkpointed: int | None = None
    plainly: str = ""
    engine: str = ""
    share: int = 0


@open_record
class Phase:
    """The highest moment of one phase: what is live together; the terms add up to ``bytes`` exactly. ``name`` is one of
    load, forward, backward, step, eval, save; ``moment`` says where in it. Of most phases nobody reads the terms: ``parts`` know
    their sums."""

    name: str
    parts: tuple[Part, ...]
    moment: str = ""

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        return tuple([term for term in written(self.parts) if term.bytes > 0])

    @cached_property
    def bytes(self) -> int:
        return sum([part.bytes for part in self.parts])

    @cached_property
    def buckets(self) -> Mapping[Bucket, int]:
        sums = dict.fromkeys(ALLOCATED_BUCKETS, 0)
        for part in self.parts:
            sums[part.bucket] = sums.get(part.bucket, 0) + part.bytes
        return sums


@open_record
class Estimate:
    """The answer for one run on one target, per device.

    ``need`` (JSON ``peak``) is what the verdict compares with ``limit``: allocated + context and libraries + fragmentation
    that cannot be given back. ``limit`` is usable minus reserve, None without a device. ``bill`` are the terms live in the
    phase that wins, then context and allocator: they add up to ``need.bytes`` exactly. ``buckets`` holds each bucket at its
    own largest over the step. ``plan`` is the one that the bill is for: the first reading's, on the worst rank. ``forks`` say on what an
    unknown verdict depends, the widest spread first; ``opened`` where the missing settings stand that are written somewhere;
    ``planned`` and ``capacity`` are what was asked, None where a measurement answered; ``supposes`` what all of it stands on where the
    model is known by what its name suggests; ``excess`` what fills the device in the readings that do not fit, where others do.
    """

    verdict: Verdict
    missing: tuple[str, ...]
    params: int | None
    trainable_params: int | None
    peak_phase: str
    need: Range
    allocated: Range
    reserved: Range
    device_total: Range
    host: Range
    buckets: Mapping[Bucket, int]
    phases: tuple[Phase, ...]
    bill: tuple[Term, ...]
    assumptions: tuple[Assumption, ...]
    limit: int | None = None
    usable_low: int | None = None
    usable_high: int | None = None
    static_bytes: int = 0
    activation_allowance: int | None = None
    tokens_that_fit: int | None = None
    devices_needed: int | None = None
    notes: Mapping[str, int] = field(default_factory=dict)
    plan: Plan | None = field(default=None, repr=False, compare=False)
    planned: Planned | None = field(default=None, repr=False, compare=False)
    capacity: Capacity | None = field(default=None, repr=False, compare=False)
    forks: tuple[Fork, ...] = ()
    opened: tuple[Opened, ...] = ()
    supposes: Supposed | None = None
    excess: Excess | None = None

    @property
    def over(self) -> int | None:
        """Bytes that a run which does not fit lacks at least: the low end of its need, less the most that the device gives. The one
        figure that every report gives for it; None for every other verdict."""
        if self.verdict is not Verdict.DOES_NOT_FIT or self.usable_high is None:
            return None
        return self.need.low - self.usable_high

    @cached_property
    def short_rows(self) -> ShortRows | None:
        """How the run stands with short rows, where its length is only a limit; None where every batch is as long, where no device is
        named, or what was measured says more than a plan."""
        if self.planned is None:
            return None
        from budgetlint.memory.short_rows import short_rows  # which rests on this module

        return short_rows(self.planned, self.capacity)

    @property
    def reason(self) -> str | None:
        """Why the verdict is unknown; None where it is not."""
        if self.verdict is not Verdict.UNKNOWN:
            return None
        if self.forks:
            return DEPENDS
        from budgetlint.memory.unmodelled import TABLE  # which notes what it refuses

        return NOT_MODELLED if self.missing and set(self.missing) & TABLE.keys() and "model" not in self.missing else INCOMPLETE

    @property
    def may_be_too_large(self) -> bool:
        """It does not fit, or may not: the limit lies in its range, or some reading of what is open is over it."""
        return self.verdict in (Verdict.DOES_NOT_FIT, Verdict.TIGHT) or self.reason == DEPENDS

    @property
    def whole(self) -> bool:
        """Nothing that the bill adds up is open: what it would be with one thing otherwise can be told."""
        return not self.forks and set(self.missing) <= {"device"}

    @property
    def near(self) -> bool:
        """It does not fit, is too close, or leans to not fitting in every reading."""
        return self.verdict in (Verdict.DOES_NOT_FIT, Verdict.TIGHT) or self.leaning is Verdict.DOES_NOT_FIT

    @property
    def leaning(self) -> Verdict | None:
        """Fits or does not fit, where every reading of what is open stands alike; None else, and for every other verdict."""
        if self.verdict is not Verdict.UNKNOWN or self.limit is None:
            return None
        found = {leaning(reading, self.limit) for fork in self.forks for reading in fork.readings}
        return found.pop() if len(found) == 1 else None

    def phase(self, name: str) -> Phase | None:
        return next((phase for phase in self.phases if phase.name == name), None)


def leaning(reading: ForkReading, limit: int) -> Verdict | None:
    """To which side one reading leans: of a need too near to the limit the best figure decides."""
    if reading.verdict in (Verdict.FITS, Verdict.DOES_NOT_FIT):
        return reading.verdict
    if reading.need.high is None:
        return None
    return Verdict.FITS if reading.need.bytes <= limit else Verdict.DOES_NOT_FIT
