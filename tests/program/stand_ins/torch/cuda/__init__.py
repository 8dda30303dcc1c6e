"""The machine is what ``STAND_IN_GPUS`` and ``STAND_IN_CAPABILITY`` say."""

import os
from types import SimpleNamespace
from typing import Any

from torch import CAPABILITY, amp, device

GPUS = int(os.environ.get("STAND_IN_GPUS", "1"))


def is_available() -> bool:
    return GPUS > 0


def device_count() -> int:
    return GPUS


def is_bf16_supported(including_emulation: bool = True) -> bool:
    return GPUS > 0 and CAPABILITY >= (8, 0)


def get_device_capability(device: Any = None) -> tuple[int, ...]:
    return CAPABILITY


def get_device_name(device: Any = None) -> str:
    return "a stand-in"


def get_device_properties(device: Any = None) -> SimpleNamespace:
    return SimpleNamespace(total_memory=80 * 1024**3, major=CAPABILITY[0], minor=CAPABILITY[1], name="a stand-in")


def mem_get_info(device: Any = None) -> tuple[int, int]:
    return 79 * 1024**3, 80 * 1024**3


def current_device() -> int:
    return 0


def memory_allocated(device: Any = None) -> int:
    return 0


def _nothing(*args: Any, **kwargs: Any) -> None:
    """Nothing is there to be set."""


max_memory_allocated = max_memory_reserved = memory_reserved = memory_allocated
set_device = empty_cache = synchronize = manual_seed_all = manual_seed = reset_peak_memory_stats = set_per_process_memory_fraction = (
    _nothing
)
