"""A smaller card on a larger one: the caching allocator refuses what the smaller one would not have.

torch 2.13 torch/cuda/memory.py ``set_per_process_memory_fraction``: a share of the card's total, of what the allocator reserves; the CUDA
context lies outside of it, so the smaller card's own context is taken off its total first.
"""

from __future__ import annotations

from typing import Any

from budgetlint.base.units import gib
from budgetlint.catalog.context import context_bytes
from budgetlint.catalog.device import Device
from budgetlint.catalog.devices import find_device
from budgetlint.probe.job import Inexpressible


def card_named(text: str) -> Device:
    """Raises `Inexpressible` for a name that no card has."""
    found = find_device(text)
    if not isinstance(found, Device) or found.kind == "cpu":
        near = "" if isinstance(found, Device) else ", ".join((*found.candidates, *found.suggestions)[:3])
        raise Inexpressible(f"no card is called '{text}'{f': {near}?' if near else ''} (`budgetlint devices` lists them)")
    return found


def allowance(card: Device) -> int:
    """Bytes that the allocator has on the card: what torch reports, without the context."""
    return card.usable_min - context_bytes(card)[1]


def imitate(cuda: Any, limit: int, name: str, total: int) -> None:
    """Hold the allocator to ``limit`` bytes of ``total``. Raises `Inexpressible` where the card here is the smaller one."""
    if limit > total:
        raise Inexpressible(f"{name} has {gib(limit)} for tensors and this card {gib(total)} in all: imitate a smaller one")
    cuda.set_per_process_memory_fraction(limit / total)
