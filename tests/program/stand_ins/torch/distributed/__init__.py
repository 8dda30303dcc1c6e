"""One process, of as many as ``WORLD_SIZE`` says."""

import os
from typing import Any


def _nothing(*args: Any, **kwargs: Any) -> None:
    """There is no other process."""


init_process_group = destroy_process_group = barrier = all_reduce = broadcast = all_gather = broadcast_object_list = _nothing


def is_available() -> bool:
    return True


def is_initialized() -> bool:
    return "WORLD_SIZE" in os.environ


def get_rank(group: Any = None) -> int:
    return int(os.environ.get("RANK", "0"))


def get_world_size(group: Any = None) -> int:
    return int(os.environ.get("WORLD_SIZE", "1"))


from torch.distributed import algorithms, fsdp
