"""What a device really offers. Rows in `devices.json`, each with its sources."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Device:
    """One card. ``usable_min``/``usable_max`` are bytes that torch reports as total memory (the smallest and largest seen).

    ``usable_exact`` is False where no torch total was seen: then ``usable_min`` is the smallest nvidia-smi total x 0.985.
    ``compute_capability`` is ``(major, minor)``, None for devices that have none. ``context_bytes`` is the CUDA context
    with the lazily loaded kernels (low, high).
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


@dataclass(frozen=True, slots=True)
class NoMatch:
    """No unique row. ``candidates``: the rows the text could mean; ``suggestions``: near names. Never auto-corrected."""

    text: str
    candidates: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
