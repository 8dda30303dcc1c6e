"""What a measured line narrows: the ends of the allocated peak and of the need, never the arithmetic in between.

The bill stays as it is, so that its lines still add up. Both ends move towards what was seen, and always hold both figures: where they
agree the range gets narrow, where they do not it says how far they are apart, and the verdict is about that range.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.base.record import record, replace
from budgetlint.base.units import gib
from budgetlint.catalog.device import Device
from budgetlint.measured.lines import Line
from budgetlint.measured.reconcile import PPM, below_static, figures_of
from budgetlint.memory.estimate import Estimate, Range, Verdict
from budgetlint.memory.need import HEADROOM_BYTES, HEADROOM_SHARE
from budgetlint.memory.notes import Assumption

AGAIN_PPM = 10_000
"""How far the same run may land another time, of what was seen: 1 % (`memory.spread.BASE_SPREAD`). Stated, not fitted."""

MODERN = (8, 0)
"""From this compute capability on the same attention kernels run (FlashAttention needs it), so allocated peaks carry over."""


@record
class JudgedDevice:
    """The device a run is judged on: what torch can have of it, at least and at most, and the stated reserve, bytes."""

    device: Device | None
    usable_low: int
    usable_high: int
    reserve: int | None = None


def tightened(estimate: Estimate, lines: Iterable[Line], place: JudgedDevice | None, tolerance_ppm: int | None = None) -> Estimate:
    """The estimate with the ends that what was measured leaves, each line that moved one told in an assumption."""
    for line in lines:
        if line.holds and not line.measured.facts.get("phase") and estimate.bill:
            estimate = _by(estimate, line, place, tolerance_ppm)
    return estimate


def _by(estimate: Estimate, line: Line, place: JudgedDevice | None, tolerance_ppm: int | None) -> Estimate:
    if any(below_static(line.measured, estimate, tolerance_ppm)):
        return estimate
    found = _figures(estimate, line, place) if line.measured.outcome == "ok" else estimate
    found = _outcome(found, line, place)
    if (found.need, found.allocated) == (estimate.need, estimate.allocated):
        return estimate
    return replace(found, verdict=_verdict(found, place), assumptions=(*estimate.assumptions, _told(estimate, found, line)))


# -- figures -----------------------------------------------------------------------------------------------------------------


def _figures(estimate: Estimate, line: Line, place: JudgedDevice | None) -> Estimate:
    sizes = figures_of(line.measured)
    allocated, need = estimate.allocated, estimate.need
    if "allocated" in sizes and _carries_over(line, place):
        allocated = _towards(allocated, sizes["allocated"])
    if "reserved" in sizes and _carries_over(line, place):
        allocated = _at_most(allocated, sizes["reserved"])
    above, over = need.low - estimate.allocated.low, _above_high(estimate)
    low = max(0, allocated.low + above)
    high = None if allocated.high is None or over is None else allocated.high + over
    need = Range(need.bytes, min(low, need.bytes), high)
    if "device_total" in sizes and _same_card(line, place):
        need = _at_most(need, sizes["device_total"])
    return replace(estimate, allocated=allocated, need=need, planned=None)


def _above_high(estimate: Estimate) -> int | None:
    """What the need has above the allocated peak at its high end; of an open end, as much as at the best figure."""
    if estimate.need.high is None or estimate.allocated.high is None:
        return estimate.need.bytes - estimate.allocated.bytes
    return estimate.need.high - estimate.allocated.high


def _towards(said: Range, seen: int) -> Range:
    """Both figures with what the next run may differ by."""
    slack = seen * AGAIN_PPM // PPM
    low, high = min(said.bytes, seen - slack), max(said.bytes, seen + slack)
    inside = said.low <= seen and (said.high is None or seen <= said.high)
    if not inside:
        return Range(said.bytes, low, high)
    return Range(said.bytes, max(said.low, low), high if said.high is None else min(said.high, high))


def _at_most(said: Range, seen: int) -> Range:
    most = max(said.bytes, seen)
    return Range(said.bytes, said.low, most if said.high is None else min(said.high, most))


# -- how it ended ------------------------------------------------------------------------------------------------------------


def _outcome(estimate: Estimate, line: Line, place: JudgedDevice | None) -> Estimate:
    """It fitted there, so it needs no more than that card can give; or it did not, so it may need more."""
    if not _same_card(line, place) or place is None:
        return estimate
    need = estimate.need
    if line.measured.outcome == "oom":
        high = None if need.high is None else max(need.high, place.usable_high)
        return replace(estimate, need=replace(need, high=high))
    limited = _at_most(need, place.usable_high)
    return replace(estimate, need=replace(limited, low=min(need.low, place.usable_high)))


def _verdict(estimate: Estimate, place: JudgedDevice | None) -> Verdict:
    """As `memory.need.verdict`; an answer that was open for want of a setting stays open."""
    if place is None or estimate.verdict is Verdict.UNKNOWN:
        return estimate.verdict
    if estimate.need.low > place.usable_high:
        return Verdict.DOES_NOT_FIT
    headroom = place.reserve if place.reserve is not None else min(HEADROOM_BYTES, place.usable_low * HEADROOM_SHARE // PPM)
    high = estimate.need.high
    return Verdict.FITS if high is not None and high <= place.usable_low - headroom else Verdict.TIGHT


# -- where it was seen -------------------------------------------------------------------------------------------------------


def _same_card(line: Line, place: JudgedDevice | None) -> bool:
    return place is not None and place.device is not None and line.device is not None and line.device.name == place.device.name


def _carries_over(line: Line, place: JudgedDevice | None) -> bool:
    """Is the same allocated there? On the same card, where none is named, and among cards with the same kernels."""
    here = place.device if place else None
    return here is None or line.device is None or here.name == line.device.name or (_is_modern(here) and _is_modern(line.device))


def _is_modern(device: Device) -> bool:
    return device.compute_capability is not None and device.compute_capability >= MODERN


# -- words -------------------------------------------------------------------------------------------------------------------


def _told(before: Estimate, after: Estimate, line: Line) -> Assumption:
    where = " ".join(_facts(line))
    text = f"measured{where and ' ' + where}: the need was {_ends(before.need)}, now {_ends(after.need)}"
    return Assumption(text, "measured")


def _facts(line: Line) -> Iterator[str]:
    facts, sizes = line.measured.facts, figures_of(line.measured)
    yield (
        "out of memory" if line.measured.outcome == "oom" else ", ".join(f"{gib(size)} {name}" for name, size in sizes.items()) or "to fit"
    )
    if "device" in facts:
        yield f"on {facts['device']}"
    versions = [f"torch {facts['torch']}"] if "torch" in facts else []
    told = ", ".join([*versions, *([facts["date"]] if "date" in facts else [])])
    if told:
        yield f"({told})"


def _ends(need: Range) -> str:
    return f"{gib(need.low)} to {gib(need.high)}" if need.high is not None else f"{gib(need.low)} or more"
