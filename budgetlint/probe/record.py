"""What a simulation found: one JSON document. No torch here."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from budgetlint.probe.job import Job

VERSION = 1


class _Border(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Live(_Border):
    """Storages that are alike and live together: ``count`` of ``bytes // count`` each, made by the operation ``op``."""

    bucket: str
    op: str
    dtype: str
    shape: tuple[int, ...]
    count: int
    bytes: int


class PhasePeak(_Border):
    """The highest moment of a phase. ``buckets`` add up to ``bytes``; ``live`` are the largest of what is live then."""

    moment: str
    bytes: int
    buckets: dict[str, int]
    live: tuple[Live, ...]


class Pool(_Border):
    """The caching allocator on this trace: what it reserves where there is room, and the least that the trace gets through with."""

    reserved: int
    least: int


class Simulated(_Border):
    """``depths``: the two numbers of layers that ran, None where all did. ``moments``: each part of the step with its peak.
    ``native`` and ``expandable`` are None where the layers are not alike."""

    version: int = VERSION
    versions: dict[str, str]
    job: Job
    depths: tuple[int, int] | None
    parameters: int
    kernels: tuple[str, ...]
    phases: dict[str, PhasePeak]
    moments: dict[str, int]
    native: Pool | None
    expandable: Pool | None
    seconds: float
    host_bytes: int

    @property
    def phase(self) -> str:
        """The phase with the highest peak."""
        return max(self.phases, key=lambda name: self.phases[name].bytes)

    @property
    def bytes(self) -> int:
        return self.phases[self.phase].bytes
