"""The device that the budget, the command line or the job names for a run, and whether a cost decides anything on it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from budgetlint.memory.estimate import Estimate
from budgetlint.memory.term import Bucket
from budgetlint.rules_api.context import RunContext

if TYPE_CHECKING:
    from budgetlint.catalog.device import Device
    from budgetlint.rules_api.location import Elsewhere

PART = 10
"""A cost is worth a warning from a tenth of the limit on, or where it decides whether the run fits."""


def device_of(run: RunContext) -> Device | None:
    """The catalog row of the target's device; None without a target, and for a device given by its size (``24GiB``).

    Example: ``card = device_of(run)``, then ``card.official``, ``card.vendor``.
    """
    spec = run.target.device if run.target else None
    return spec.device if spec else None


def device_words(run: RunContext) -> str:
    """The device for a message, as the budget calls it: ``rtx-4090``, ``24GiB``; ``the device`` without one.

    Example: ``f"{device_words(run)} has no fp8"``.
    """
    return run.target.device.text if run.target and run.target.device else "the device"


def capability_of(run: RunContext) -> tuple[int, int] | None:
    """Compute capability of the NVIDIA card that is named; None for other makers and for a card given by its size.

    Example: ``(capability_of(run) or (8, 0)) < (8, 0)`` is a card before Ampere.
    """
    card = device_of(run)
    return card.compute_capability if card is not None and card.vendor.lower() == "nvidia" else None


def card_words(run: RunContext) -> str:
    """``NVIDIA A100 (compute capability 8.0)``, for a message; ask only where `capability_of` answers.

    Example: ``f"{card_words(run)} has no fp8"``.
    """
    card = device_of(run)
    major, minor = (card.compute_capability if card else None) or (0, 0)
    return f"{card.official if card else 'the device'} (compute capability {major}.{minor})"


def device_line(run: RunContext) -> tuple[Elsewhere, ...]:
    """The budget's line with the device, as a related place; empty for a device given by its size.

    Example: ``run.finding(setting, "…", related=device_line(run))``.
    """
    spec = run.target.device if run.target else None
    return ((spec, f"the device is {spec.device.official}"),) if spec and spec.device else ()


def figures(estimate: Estimate) -> dict[str, int | None]:
    """The numbers that every finding about fit carries: need with its range, limit and usable memory, in bytes.

    Example: ``run.finding(setting, "…", numbers=figures(run.estimate))``.
    """
    return {
        "need_bytes": estimate.need.bytes,
        "need_low_bytes": estimate.need.low,
        "need_high_bytes": estimate.need.high,
        "limit_bytes": estimate.limit,
        "usable_bytes": estimate.usable_low,
    }


def bytes_at_peak(estimate: Estimate, buckets: Iterable[Bucket]) -> int:
    """What these buckets hold when the run needs most, in bytes.

    Example: ``bytes_at_peak(run.estimate, (Bucket.LOGITS,))``.
    """
    wanted = set(buckets)
    return sum(term.bytes for term in estimate.bill if term.bucket in wanted)


def is_over(now: Estimate) -> bool:
    """The run was judged, nothing of its bill is open, and its best figure lies over the limit.

    Example: ``if not is_over(run.estimate): return``.
    """
    return now.near and now.whole and now.limit is not None and now.need.bytes > now.limit


def decides(now: Estimate, cost: int) -> bool:
    """The run is too large, and without this cost (bytes) it would fit.

    Example: ``decides(run.estimate, 2 * GIB)``.
    """
    return is_over(now) and now.limit is not None and now.need.bytes - cost <= now.limit


def _is_large(now: Estimate, cost: int) -> bool:
    """The cost is a visible part of the device."""
    return now.limit is not None and cost * PART >= now.limit


def matters(now: Estimate, cost: int) -> bool:
    """Is this cost (bytes) worth a finding? It decides whether the run fits, or is a tenth of the device.

    Example: ``if not matters(run.estimate, cost): return``.
    """
    return decides(now, cost) or _is_large(now, cost)


def effect_words(now: Estimate, cost: int) -> str:
    """Behind a cost (bytes) in a message: ``; without it the run would fit``, or nothing.

    Example: ``f"the copy takes {gib(cost)}{effect_words(run.estimate, cost)}"``.
    """
    return "; without it the run would fit" if decides(now, cost) else ""
