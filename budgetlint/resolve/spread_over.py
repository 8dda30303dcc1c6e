"""Layers that ``device_map`` spreads over all cards that a process sees: how many those are.

Sources: transformers 5.24.0 and 4.57.6 ``modeling_utils.py`` from_pretrained (``auto``, ``balanced``, ``balanced_low_0`` and ``sequential``
are worked out for all devices; another word, a number and a device stand for one), accelerate 1.15.0 ``accelerator.py`` prepare_model
(refuses such a model in several processes).
"""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.language.budget import Target
from budgetlint.memory.parallel import is_naive
from budgetlint.settings.run import OriginKind, Setting, Settings

SPREADS = ("auto", "balanced", "balanced_low_0", "sequential")
ONE_OR_MORE = (1, 8)
"""Where nobody says how many cards there are: all on one, or the usual machine."""


def spread_over(settings: Settings, target: Target) -> Settings:
    """The settings with the number of cards that hold one model, and the processes that are then left."""
    split = settings.get("pipeline_parallel")
    if split is None or split.known or split.readings or not is_naive(settings) or split.text not in SPREADS:
        return settings
    processes = settings.get("devices")
    if processes is not None and processes.origin.kind is not OriginKind.BUDGET and processes.value != 1:
        return settings  # each of them would take all cards: it stops
    cards = _visible(settings) or (target.device.count if target.device is not None else None)
    if cards is None:
        return settings.having(replace(split, readings=ONE_OR_MORE))
    alone = [] if processes is None else [replace(processes, value=1)]
    return settings.having(replace(split, value=cards, state="known"), *alone)


def _visible(settings: Settings) -> int | None:
    """The cards that CUDA_VISIBLE_DEVICES names."""
    counted = settings.get("devices_per_node")
    told: tuple[Setting, ...] = () if counted is None else (counted, *counted.overrode)
    return next((one.value for one in told if one.known and one.origin.key == "CUDA_VISIBLE_DEVICES"), None)
