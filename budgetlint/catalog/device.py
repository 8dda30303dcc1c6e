"""What a device really offers. Rows in `devices.json`, each with its sources."""

from __future__ import annotations

from budgetlint.base.record import record

EXACT = frozenset({"torch", "device-query", "smi-minus-reserved", "working-set"})
"""Kinds of reading that say what a process can allocate; ``smi`` totals still hold what the driver keeps back."""


@record
class Total:
    """One reading of a card's memory in bytes. ``kind``: ``torch | device-query | smi-minus-reserved | working-set | smi``."""

    kind: str
    bytes: int
    ecc: bool | None
    sources: tuple[str, ...]
    note: str = ""


@record
class Device:
    """One card. ``usable_min``/``usable_max`` are bytes that torch reports as total memory (the smallest and largest seen).

    ``usable_exact`` is False where no torch total was seen: then ``usable_min`` is the smallest nvidia-smi total x 0.985,
    or a part of the label where only the label was seen; ``usable_from`` says which. ``nominal_bytes`` is the label read in
    GiB. ``compute_capability`` is ``(major, minor)``, None for devices that have none. ``kind`` is ``cpu`` for the pseudo
    device, else ``gpu``. ``offered``: whether an answer may name it as the card to take, which it may not where only its
    label was seen or it is older than the tensor cores.
    """

    name: str
    official: str
    vendor: str
    label: str
    nominal_bytes: int
    usable_min: int
    usable_max: int
    usable_exact: bool
    aliases: tuple[str, ...]
    compute_capability: tuple[int, int] | None
    bf16: bool | None
    tf32: bool | None
    fp8: bool | None
    unified: bool
    sources: tuple[str, ...]
    note: str = ""
    usable_from: str = "torch"
    totals: tuple[Total, ...] = ()
    arch: str = ""
    kind: str = "gpu"
    offered: bool = True
