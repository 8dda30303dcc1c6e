"""What the target's card can compute, for rules about formats and kernels that need a newer one."""

from __future__ import annotations

import re

from budgetlint.catalog.device import Device
from budgetlint.rule import RunContext
from budgetlint.rules_api.location import Elsewhere

from ._training import device_of

_MPS = re.compile(r"(?:^|[/_.-])mps(?:[/_.-]|$)")


def capability_of(run: RunContext) -> tuple[int, int] | None:
    """Compute capability of the NVIDIA card that the budget names; None for other makers and for a card given by its size."""
    card = device_of(run)
    return card.compute_capability if card is not None and card.vendor.lower() == "nvidia" else None


def for_apple(run: RunContext) -> bool:
    """A recipe for Apple's GPUs, by its name (``lora-mps.yml``): bitsandbytes and bf16 are switched off there."""
    trainer = run.run.trainer
    return trainer is not None and bool(_MPS.search(trainer.document.path.lower()))


def card_of(run: RunContext) -> str:
    """``NVIDIA A100 (compute capability 8.0)``; ask only where `capability_of` answers."""
    card: Device | None = device_of(run)
    major, minor = (card.compute_capability if card else None) or (0, 0)
    return f"{card.official if card else 'the device'} (compute capability {major}.{minor})"


def where_named(run: RunContext) -> tuple[Elsewhere, ...]:
    """The budget's line with the device, as a related place."""
    spec = run.target.device if run.target else None
    return ((spec, f"the device is {spec.device.official}"),) if spec and spec.device else ()
