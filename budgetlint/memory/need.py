"""From the allocated peak to the need, the pool and the device total; and the verdict on the need."""

from __future__ import annotations

from budgetlint.base.record import record
from budgetlint.base.units import GIB
from budgetlint.catalog.context import context_bytes, process_bytes
from budgetlint.catalog.device import Device
from budgetlint.memory.estimate import Range, Verdict

PPM = 1_000_000

# Share of the allocated peak that the caching allocator cannot give back, in 1/10^6. Replaying 94 simulated steps through
# an allocator model (512 B rounding, 2 MiB and 20 MiB segments, release and retry) gives median 5.4 %, 90th percentile
# 16 %; on an A100 runs were seen to live at 1.01 x allocated. The headroom of the verdict covers the rest of the tail.
FRAGMENTATION = (2_000, 30_000, 80_000)

# max_reserved over allocated in the same 94 replays: least, median, most.
POOL = (3_000, 100_000, 270_000)

# Communicators and their buffers, bytes: 0.39 GiB for one group (pith-train) to 1.45 GiB at the first barrier of two
# ranks (stas00, torch 2.1.1), more with several meshes.
COMMUNICATION = (int(0.3 * GIB), int(0.8 * GIB), 2 * GIB)

HEADROOM_BYTES = 2 * GIB
HEADROOM_SHARE = 100_000


@record
class Totals:
    context: Range
    process: Range
    host: Range
    communication: Range
    fragmentation: Range
    need: Range
    reserved: Range
    device_total: Range


NOTHING = Range(0, 0, 0)


def totals(
    allocated: Range, device: Device | None, ranks: int, *, set_aside: int = 0, host: Range = NOTHING, eager: bool = False
) -> Totals:
    """Need, reserved and device totals above an allocated peak. ``set_aside``: the part of it that a rollout engine took at once
    and shares out itself, which does not fragment. ``host``: what offloading keeps on the host, where that is the same memory.
    ``eager``: every kernel is loaded with the context."""
    low, best, high = context_bytes(device, eager=eager)
    context = Range(best, low, high)
    communication = Range(COMMUNICATION[1], COMMUNICATION[0], COMMUNICATION[2]) if ranks > 1 else NOTHING
    process, host = (_process(device), host) if is_shared(device) else (NOTHING, NOTHING)
    changing = _less(allocated, set_aside)
    fragmentation = _share(changing, FRAGMENTATION)
    outside = context.plus(communication)
    if process is not NOTHING:
        outside = outside.plus(process).plus(host)
    reserved = allocated.plus(_share(changing, POOL))
    return Totals(
        context, process, host, communication, fragmentation, allocated.plus(fragmentation).plus(outside), reserved, reserved.plus(outside)
    )


def _process(device: Device | None) -> Range:
    least, likely, most = process_bytes(device)
    return Range(likely, least, most)


def is_shared(device: Device | None) -> bool:
    """The host's memory is the device's."""
    return device is not None and (device.unified or device.kind == "cpu")


def _less(allocated: Range, part: int) -> Range:
    high = None if allocated.high is None else max(0, allocated.high - part)
    return Range(max(0, allocated.bytes - part), max(0, allocated.low - part), high)


def _share(allocated: Range, ppm: tuple[int, int, int]) -> Range:
    high = None if allocated.high is None else allocated.high * ppm[2] // PPM
    return Range(allocated.bytes * ppm[1] // PPM, allocated.low * ppm[0] // PPM, high)


def verdict(need: Range, usable: tuple[int, int], reserve: int | None, *, judged: bool) -> Verdict:
    """Does not fit: the low end is over what the device can give. Fits: the high end is under the limit with headroom (the
    stated reserve, else the smaller of 2 GiB and a tenth). Tight: between. ``judged`` is False while a setting is missing:
    then only a static state that is too large gives an answer."""
    least, most = usable
    if need.low > most:
        return Verdict.DOES_NOT_FIT
    if not judged or need.high is None:
        return Verdict.UNKNOWN
    headroom = reserve if reserve is not None else min(HEADROOM_BYTES, least * HEADROOM_SHARE // PPM)
    return Verdict.FITS if need.high <= least - headroom else Verdict.TIGHT
