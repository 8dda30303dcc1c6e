"""A measured figure beside the estimate of the same thing: like with like, in per cent."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import record
from budgetlint.language.budget import Measured
from budgetlint.memory.estimate import Estimate, Range
from budgetlint.memory.term import ALLOCATED_BUCKETS, Bucket

PPM = 1_000_000

TOLERANCE_PPM = 80_000
"""Where no ``tolerance`` is stated: 8 %, the language's own example. Stated, not fitted."""

METRICS = {
    "allocated": ("allocated", "max_memory_allocated", "torch.cuda.max_memory_allocated", "torch"),
    "reserved": ("reserved", "max_memory_reserved", "torch.cuda.max_memory_reserved"),
    "device_total": ("device_total", "device", "nvidia-smi", "nvml", "gpustat", "nvtop", "mem_get_info"),
    "need": ("need",),
}
"""Which of the totals that people confuse a tool prints, by its name in ``metric=``."""

UNSAID = "peak"
"""A peak of which nobody says what printed it: something from allocated to all that the device holds."""

_BY_NAME = {spelling: metric for metric, spellings in METRICS.items() for spelling in spellings}


@record
class Compared:
    """One figure. ``estimate`` is what the estimate says of the same thing; ``far`` how far its best figure is from what was measured,
    in 1/10^6 of that. ``inside`` the tolerance."""

    figure: str
    bytes: int
    estimate: Range
    far: int
    inside: bool


def metric_of(measured: Measured) -> str:
    """What ``peak=`` is in this line: allocated, reserved, device_total, need, or ``peak`` where nobody says."""
    named = measured.facts.get("metric", "").strip().lower()
    return _BY_NAME.get(named, UNSAID)


def figures_of(measured: Measured) -> dict[str, int]:
    """The line's figures by what they are; ``peak=`` under its metric."""
    return {metric_of(measured) if name == "peak" else name: size for name, size in measured.figures.items()}


def compare(measured: Measured, estimate: Estimate, tolerance_ppm: int | None) -> tuple[Compared, ...]:
    """Every figure of the line that the estimate has too."""
    tolerance = TOLERANCE_PPM if tolerance_ppm is None else tolerance_ppm
    found = figures_of(measured)
    phase = measured.facts.get("phase", "")
    return tuple(
        _compared(name, size, said, tolerance) for name, size in found.items() if (said := _estimated(name, phase, estimate)) is not None
    )


def _compared(name: str, size: int, said: Range, tolerance: int) -> Compared:
    far = (said.bytes - size) * PPM // size if size else 0
    inside = abs(far) <= tolerance if name not in RANGES else _within(size, said, tolerance)
    return Compared(name, size, said, far, inside)


RANGES = frozenset({"reserved", "device_total", "need", "host", UNSAID})
"""Totals that no arithmetic gives to a few per cent: the pool grows by what was free when it grew. Inside is inside their range."""


def _within(size: int, said: Range, tolerance: int) -> bool:
    slack = size * tolerance // PPM
    return said.low - slack <= size and (said.high is None or size <= said.high + slack)


def _estimated(name: str, phase: str, estimate: Estimate) -> Range | None:
    if phase:
        return _of_phase(name, phase, estimate)
    if name == UNSAID:
        return Range(estimate.allocated.bytes, estimate.allocated.low, estimate.device_total.high)
    if name in ("allocated", "reserved", "device_total", "need", "host"):
        found: Range = getattr(estimate, name)
        return found
    return _exactly(estimate.buckets[_BUCKETS[name]]) if name in _BUCKETS else None


_BUCKETS: dict[str, Bucket] = {bucket.value: bucket for bucket in ALLOCATED_BUCKETS}


def _of_phase(name: str, phase: str, estimate: Estimate) -> Range | None:
    found = estimate.phase(phase)
    if found is None:
        return None
    return _exactly(found.bytes) if name == "allocated" else _exactly(found.buckets[_BUCKETS[name]]) if name in _BUCKETS else None


def _exactly(size: int) -> Range:
    return Range(size, size, size)


# -- a figure that cannot be the peak ----------------------------------------------------------------------------------------


def below_static(measured: Measured, estimate: Estimate, tolerance_ppm: int | None) -> Iterator[tuple[str, int]]:
    """Totals that are less than weights, gradients and optimizer states, which are all there when a backward ends."""
    if measured.facts.get("phase"):
        return
    least = estimate.static_bytes * (PPM - (TOLERANCE_PPM if tolerance_ppm is None else tolerance_ppm)) // PPM
    for name, size in figures_of(measured).items():
        if name in ("allocated", "reserved", "device_total", "need", UNSAID) and size < least:
            yield name, size
