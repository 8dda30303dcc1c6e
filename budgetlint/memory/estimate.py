"""The shape of an answer: terms, phases, three totals, need and verdict."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

from budgetlint.record import field, open_record, record
from budgetlint.run import Setting

if TYPE_CHECKING:
    from budgetlint.memory.plan import Plan


class Bucket(Enum):
    WEIGHTS = "weights"
    GRADIENTS = "gradients"
    OPTIMIZER = "optimizer"
    ACTIVATIONS = "activations"
    LOGITS = "logits"
    BUFFERS = "buffers"
    ALLOCATOR = "allocator"
    CONTEXT = "context"

    __hash__ = object.__hash__  # members are singletons, and a bill looks them up often


ALLOCATED_BUCKETS = (Bucket.WEIGHTS, Bucket.GRADIENTS, Bucket.OPTIMIZER, Bucket.ACTIVATIONS, Bucket.LOGITS, Bucket.BUFFERS)


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


@record
class Term:
    """One line of the bill. ``what`` shows the arithmetic (``1,543,714,304 parameters x 4 B, fp32``); ``because`` the
    settings that set it, strongest first."""

    bucket: Bucket
    bytes: int
    what: str
    because: tuple[Setting, ...] = ()


@open_record
class Phase:
    """The highest moment of one phase: what is live together; the terms add up to ``bytes`` exactly. ``name`` is one of
    load, forward, backward, step, eval, save; ``moment`` says where in it."""

    name: str
    terms: tuple[Term, ...]
    moment: str = ""

    @cached_property
    def bytes(self) -> int:
        return sum([term.bytes for term in self.terms])

    @cached_property
    def buckets(self) -> Mapping[Bucket, int]:
        sums = dict.fromkeys(ALLOCATED_BUCKETS, 0)
        for term in self.terms:
            sums[term.bucket] = sums.get(term.bucket, 0) + term.bytes
        return sums


@record
class Assumption:
    """A default or an approximation that the figures rest on."""

    text: str
    setting: str = ""


@open_record
class Estimate:
    """The answer for one run on one target, per device.

    ``need`` (JSON ``peak``) is what the verdict compares with ``limit``: allocated + context and libraries + fragmentation
    that cannot be given back. ``limit`` is usable minus reserve, None without a device. ``bill`` are the terms live in the
    phase that wins, then context and allocator: they add up to ``need.bytes`` exactly. ``buckets`` holds each bucket at its
    own largest over the step. ``plan`` is the one that the bill is for: the first reading's, on the worst rank.
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

    def phase(self, name: str) -> Phase | None:
        return next((phase for phase in self.phases if phase.name == name), None)
