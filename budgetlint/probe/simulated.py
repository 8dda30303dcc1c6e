"""A whole simulation: which depths to run, what they say together, and what the allocator makes of it."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from math import prod

from budgetlint.probe import allocator
from budgetlint.probe.depths import MIDDLE, block_of, deepened, depths_of
from budgetlint.probe.job import Job
from budgetlint.probe.record import Live, PhasePeak, Pool, Simulated
from budgetlint.probe.step import simulate
from budgetlint.probe.trace import BUCKETS, WEIGHTS, Trace, TracedPeak
from budgetlint.probe.unrolled import unrolled

Progress = Callable[[str], None]
SHOWN = 16
"""How many kinds of storages a phase lists."""
PACKAGES = ("torch", "transformers", "peft", "budgetlint")


@dataclass(frozen=True)
class Steps:
    """Two steps at full depth: peaks by part of the step, a trace for the allocator, the attention kernels that ran."""

    peaks: Mapping[str, TracedPeak]
    trace: Trace | None
    kernels: tuple[str, ...]
    depths: tuple[int, int] | None


def simulation(job: Job, *, full_depth: bool = False, progress: Progress = lambda _: None) -> Simulated:
    """Raises `Inexpressible` for a model that transformers has no code for."""
    begun = time.monotonic()
    steps = _steps(job, full_depth, progress)
    progress("the allocator")
    total = _parameters(steps.peaks["load"], job)
    return Simulated(
        versions=versions(),
        job=job,
        depths=steps.depths,
        parameters=total,
        kernels=steps.kernels,
        phases=phases_of(steps.peaks),
        moments={moment: peak.bytes for moment, peak in steps.peaks.items()},
        native=pool_of(steps.trace, expandable=False),
        expandable=pool_of(steps.trace, expandable=True),
        seconds=round(time.monotonic() - begun, 1),
        host_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    )


def versions() -> dict[str, str]:
    """Of the packages whose code decides the figures."""
    found: dict[str, str] = {}
    for name in PACKAGES:
        try:
            found[name] = version(name).partition("+")[0]
        except PackageNotFoundError:
            continue
    return found


def _steps(job: Job, full_depth: bool, progress: Progress) -> Steps:
    depths = None if full_depth else depths_of(job)
    if depths is None:
        progress(f"two steps of all {job.layers} layers")
        ran = simulate(job)
        return Steps(ran.trace.peaks(), ran.trace, ran.kernels, None)
    both = []
    for depth in depths:
        progress(f"two steps of {depth} of {job.layers} layers")
        both.append(simulate(job, depth))
    lower, upper = (one.trace.peaks() for one in both)
    start, period = block_of(job)
    deep = unrolled(both[1].trace, start, period, (job.layers - depths[1]) // period)
    return Steps(deepened(lower, upper, depths, job.layers), deep, both[1].kernels, depths)


def _parameters(load: TracedPeak, job: Job) -> int:
    """Of the whole model, from what one rank holds."""
    held = sum(prod(key[2]) * count for key, count in load.live.items() if key[0] == WEIGHTS)
    return held * job.world if job.shard in ("fsdp", "fsdp2") else held


def phases_of(peaks: Mapping[str, TracedPeak]) -> dict[str, PhasePeak]:
    """The estimate's phases: the highest of the parts of each."""
    best: dict[str, tuple[str, TracedPeak]] = {}
    for moment, peak in peaks.items():
        phase = moment.partition(":")[0]
        if moment != MIDDLE and (phase not in best or peak.bytes > best[phase][1].bytes):
            best[phase] = (moment, peak)
    return {phase: _phase(moment, peak) for phase, (moment, peak) in best.items()}


def _phase(moment: str, peak: TracedPeak) -> PhasePeak:
    sums = dict.fromkeys(BUCKETS, 0)
    for key, count in peak.live.items():
        sums[key[0]] += peak.sizes[key] * count
    rows = sorted(peak.live, key=lambda key: -peak.sizes[key] * peak.live[key])[:SHOWN]
    live = tuple(
        Live(bucket=key[0], dtype=key[1], shape=key[2], op=key[3], count=peak.live[key], bytes=peak.sizes[key] * peak.live[key])
        for key in rows
    )
    return PhasePeak(moment=moment.partition(": ")[2], bytes=peak.bytes, buckets=sums, live=live)


def pool_of(trace: Trace | None, *, expandable: bool) -> Pool | None:
    if trace is None:
        return None
    least = allocator.least_capacity(trace, expandable=expandable)
    return Pool(reserved=allocator.replay(trace, expandable=expandable).reserved, least=least)
