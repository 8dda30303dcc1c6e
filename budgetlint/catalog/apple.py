"""Macs: every chip with every size of memory that it is sold with.

The memory is the machine's; what a process may take of it on the GPU is Metal's ``recommendedMaxWorkingSetSize``: two thirds up to
32 GB, three quarters above. As ggml prints it: 5,726.63 MB of 8 GB, 11,453.25 of 16, 17,179.89 of 24, 22,906.50 of 32, 28,991.03 of
36, 38,654.71 of 48, 51,539.61 of 64, 154,618.82 of 192 (MB of 10^6 bytes). The sysctl ``iogpu.wired_limit_mb`` moves it:
``device m3-max-64gb working_set=60GiB``. Sizes: Apple's technical specifications.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.units import GIB
from budgetlint.catalog.device import Device, Total

CHIPS: dict[str, tuple[int, ...]] = {
    "m1": (8, 16), "m1-pro": (16, 32), "m1-max": (32, 64), "m1-ultra": (64, 128),
    "m2": (8, 16, 24), "m2-pro": (16, 32), "m2-max": (32, 64, 96), "m2-ultra": (64, 128, 192),
    "m3": (8, 16, 24), "m3-pro": (18, 36), "m3-max": (36, 48, 64, 96, 128), "m3-ultra": (96, 256, 512),
    "m4": (16, 24, 32), "m4-pro": (24, 48, 64), "m4-max": (36, 48, 64, 128),
    "m5": (16, 24, 32), "m5-max": (36, 64, 128),
}  # fmt: skip
"""Gigabytes by chip."""

LARGE = 32
_SOURCE = "Metal recommendedMaxWorkingSetSize as ggml prints it, by the size of the memory"


def working_set(gigabytes: int) -> int:
    """Bytes that Metal recommends to take at most."""
    third, quarter = 2 * gigabytes * GIB // 3, 3 * gigabytes * GIB // 4
    return int(third if gigabytes <= LARGE else quarter)


def macs() -> Iterator[Device]:
    for chip, sizes in CHIPS.items():
        yield from (_mac(chip, size) for size in sizes)


def _mac(chip: str, gigabytes: int) -> Device:
    usable, spoken = working_set(gigabytes), chip.replace("-", " ").title()
    return Device(
        name=f"{chip}-{gigabytes}gb",
        official=f"Apple {spoken} ({gigabytes} GB)",
        vendor="apple",
        label=f"{gigabytes} GB unified",
        nominal_bytes=gigabytes * GIB,
        usable_min=usable,
        usable_max=usable,
        usable_exact=False,
        aliases=(),
        compute_capability=None,
        bf16=None,
        tf32=None,
        fp8=None,
        unified=True,
        sources=(_SOURCE,),
        note="two thirds of the memory up to 32 GB, three quarters above",
        usable_from="working-set",
        totals=(Total("working-set", usable, None, (_SOURCE,)),),
    )
