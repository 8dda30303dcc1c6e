"""The smallest card of the catalog that holds a run as it is."""

from __future__ import annotations

from functools import cache

from budgetlint.base.record import replace
from budgetlint.catalog.device import Device
from budgetlint.catalog.devices import all_devices
from budgetlint.language.budget import DeviceSpec
from budgetlint.memory.estimate import Verdict
from budgetlint.memory.plan import Plan
from budgetlint.results.solution import SmallestCard
from budgetlint.solve.whatif import SOLVED, Bench

ASKS_BF16 = ("precision", "autocast", "engine_dtype", "weights_dtype", "quant_compute_dtype")


WORKSPACES = 50
"""What the run allocates is the same on every card up to this part: cuBLAS takes 8 to 32 MiB (`catalog.context`)."""


def smallest_card(bench: Bench) -> SmallestCard | None:
    """Of the run's own maker (NVIDIA where no card is named), whole cards only, no laptops; for a run in bf16 those that compute in
    it. The reserve and the number of devices stay as they are."""
    context = bench.context
    if context.estimate is None or context.plan is None or set(context.estimate.missing) - {"device"}:
        return None
    own = bench.target.device.device if bench.target.device else None
    bf16 = any(str(bench.settings.value(name, "")).startswith("bf16") for name in ASKS_BF16)
    high = context.estimate.allocated.high or 0
    least = 0 if _by_share(context.plan) else high - high // WORKSPACES
    for card in cards(own.vendor if own else "nvidia"):
        if card.usable_min >= least and (card.bf16 or not bf16) and _fits(bench, card):
            return SmallestCard(card.name, card.usable_min)
    return None


def _by_share(plan: Plan) -> bool:
    """A rollout engine takes its share of whatever card there is."""
    return plan.rollout is not None and plan.rollout.engine != "hf"


def _fits(bench: Bench, card: Device) -> bool:
    own = bench.target.device
    spec = DeviceSpec(card, own.count if own else None, card.nominal_bytes, card.usable_min, card.usable_max, card.name, SOLVED)
    return bench.on(replace(bench.target, device=spec)).verdict is Verdict.FITS


@cache
def cards(vendor: str) -> tuple[Device, ...]:
    """Smallest first."""
    found = (card for card in all_devices() if card.vendor == vendor and card.offered and not card.unified)
    whole = (card for card in found if not card.label.endswith("slice") and "laptop" not in card.name)
    return tuple(sorted(whole, key=lambda card: (card.usable_min, card.name)))
