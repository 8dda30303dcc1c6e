"""What a measurement found: one JSON document. No torch here."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from budgetlint.probe.record import PhasePeak
from budgetlint.probe.work import Work

VERSION = 1


class _Border(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Use(_Border):
    """The most of one phase, bytes: ``allocated`` (max_memory_allocated), ``reserved`` (max_memory_reserved), ``device`` (everything on the
    card, other processes too). None where the device has no such figure."""

    allocated: int
    reserved: int | None = None
    device: int | None = None


class Moment(_Border):
    """A point of the step in the pass that followed every storage, with its highest bytes by category."""

    name: str
    bytes: int
    buckets: dict[str, int]


class Card(_Border):
    """``total`` is what torch reports, ``free`` what was free of it before the probe began, bytes; 0 on a CPU."""

    name: str
    kind: str
    total: int = 0
    free: int = 0
    capability: str = ""
    driver: str = ""


class Measurement(_Border):
    """``outcome``: ok, or oom with the phase in ``failed_in``. ``phases``: the most over the measured steps and all ranks; ``followed`` one
    more step in which every storage was followed, which gives buckets and timeline; empty where it was not taken. ``notes`` say what
    was not as the run has it."""

    version: int = VERSION
    versions: dict[str, str]
    card: Card
    work: Work
    outcome: str
    failed_in: str = ""
    phases: dict[str, Use]
    followed: dict[str, PhasePeak] = {}
    timeline: tuple[Moment, ...] = ()
    parameters: int = 0
    ranks: int = 1
    optimizer: str = ""
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def peak(self) -> Use:
        """The most of any phase."""
        uses = list(self.phases.values()) or [Use(allocated=0)]
        return Use(
            allocated=max(use.allocated for use in uses),
            reserved=max((use.reserved for use in uses if use.reserved is not None), default=None),
            device=max((use.device for use in uses if use.device is not None), default=None),
        )

    @property
    def phase(self) -> str:
        """The phase with the highest peak."""
        return max(self.phases, key=lambda name: self.phases[name].allocated, default="")
