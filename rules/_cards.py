"""Which card holds a run: for the smallest one that does, and for one that is four times what is needed."""

from __future__ import annotations

from bisect import bisect_left
from functools import cache
from operator import attrgetter

from budgetlint.base.record import record
from budgetlint.base.units import GIB
from budgetlint.catalog.context import cublas_workspace
from budgetlint.memory.need import totals, verdict
from budgetlint.memory.plan import Plan
from budgetlint.rule import Device, Estimate, Range, RunContext, Verdict, all_devices, is_own_script

FAR, ALWAYS_NEAR = 0.5, 4 * GIB
"""Where the high end lies further above the best figure than this part of it, it says how little is known about versions, not
which card is needed. The second: what context and communicators may take beside a small run."""

WORKSPACES = 2
"""cuBLAS workspaces of a step on a GPU: forward and autograd thread."""

_DECIDING = ("shard", "devices", "devices_per_node", "adapter", "quant", "optimizer", "offload_optimizer", "offload_params")
"""Where one of these is open, the card is."""

_ASKS_BF16 = ("precision", "autocast", "engine_dtype", "weights_dtype", "quant_compute_dtype")


@record
class Held:
    """The need of a run, and the smallest card that holds it: None where none does."""

    need: Range
    card: Device | None


def is_closed(run: RunContext, estimate: Estimate, plan: Plan) -> bool:
    """Both ends known and near, and no engine that takes a share of a device."""
    engine = plan.rollout is not None and plan.rollout.engine != "hf"
    best, high = estimate.need.bytes, estimate.need.high
    near = high is not None and high - best <= max(best * FAR, ALWAYS_NEAR)
    unsettled = any((setting := run.setting(name)) is not None and not setting.known for name in _DECIDING)
    settled = not unsettled and not is_own_script(run.run.settings)
    return not engine and near and settled and estimate.whole


def held_by(run: RunContext, estimate: Estimate, plan: Plan) -> Held | None:
    """None where the largest card may hold it, and may not."""
    bf16 = any(str(run.value(name, "")).startswith("bf16") for name in _ASKS_BF16)
    first = bisect_left(whole_cards(), estimate.allocated.high or 0, key=attrgetter("usable_min"))
    found = (
        Held(need, card) for card in whole_cards()[first:] if (card.bf16 or not bf16) and (need := _need(estimate, plan, card)) is not None
    )
    held = next(found, Held(estimate.need, None))
    return None if held.card is None and held.need.low <= whole_cards()[-1].usable_max else held


@cache
def whole_cards() -> tuple[Device, ...]:
    """Smallest first."""
    cards = (card for card in all_devices() if card.vendor == "nvidia" and card.offered and not card.unified)
    whole = (card for card in cards if not card.label.endswith("slice") and "laptop" not in card.name)
    return tuple(sorted(whole, key=lambda card: (card.usable_min, card.name)))


def _need(estimate: Estimate, plan: Plan, card: Device) -> Range | None:
    """The need on this card if it fits with the headroom; newer cards have a larger workspace and context."""
    more = WORKSPACES * (cublas_workspace(card) - cublas_workspace(None))
    need = totals(estimate.allocated.plus(Range(more, more, more)), card, plan.ranks).need
    return need if verdict(need, (card.usable_min, card.usable_max), None, judged=True) is Verdict.FITS else None
