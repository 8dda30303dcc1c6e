"""What `solve` answers: the largest and the fewest that fit, and the changes that make a run fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from budgetlint.base.finding import Edit
from budgetlint.base.record import field, open_record, record
from budgetlint.base.source import SourceFile
from budgetlint.memory.estimate import Verdict
from budgetlint.rules_api.context import RunContext

MAY = {Verdict.FITS: "fits", Verdict.TIGHT: "may fit", Verdict.DOES_NOT_FIT: "does not fit", Verdict.UNKNOWN: "unknown"}
"""What a change is said to do: a run that is too close, or whose verdict depends on a version, is not ruled out."""


@record
class Remedy:
    """One change (or several on different buckets) after which the estimator no longer says does not fit.

    ``frees`` and ``need`` in bytes are those of the changed run, estimated; ``host`` the host memory of a machine that it takes.
    ``settings`` are what changes, in the words of `budgetlint.settings.vocabulary`; ``edits`` the same in the user's own files, proved by
    reading the result again, empty where no edit of the texts alone can do it. ``parts`` are the names of its levers.
    """

    title: str
    bucket: str
    frees: int
    need: int
    verdict: Verdict
    cost: str
    source: str
    settings: Mapping[str, Any]
    parts: tuple[str, ...] = ()
    host: int = 0
    edits: tuple[Edit, ...] = ()


@record
class Told:
    """A lever that is no cure here, and why: it frees next to nothing, or too little alone."""

    title: str
    bucket: str
    frees: int
    need: int
    verdict: Verdict
    why: str


@record
class Reach:
    """The largest value that fits, and the largest that is not ruled out (tight); None where none is, or where it cannot be known.
    ``at`` is the other of batch and length that it holds for."""

    fits: int | None = None
    tight: int | None = None
    at: int | None = None


@record
class SmallestCard:
    """The smallest card of the catalog that holds the run, and the bytes that torch can give on it."""

    name: str
    usable: int


@open_record
class Solution:
    """The answer for one run on one target. ``unknown`` are settings without which a figure is missing."""

    context: RunContext
    batch: Reach = Reach()
    seq: Reach = Reach()
    devices: int | None = None
    card: SmallestCard | None = None
    remedies: tuple[Remedy, ...] = ()
    told: tuple[Told, ...] = ()
    unknown: tuple[str, ...] = ()
    sources: Mapping[str, SourceFile] = field(default_factory=dict, repr=False)

    @property
    def verdict(self) -> Verdict:
        return self.context.estimate.verdict if self.context.estimate else Verdict.UNKNOWN

    @property
    def first_sure(self) -> tuple[int, Remedy] | None:
        """The first remedy that fits for certain, and its number (from 1): what to try first."""
        sure = [(number, one) for number, one in enumerate(self.remedies, 1) if one.verdict is Verdict.FITS]
        return sure[0] if sure else None
