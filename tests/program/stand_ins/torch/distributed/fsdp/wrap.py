"""torch.distributed.fsdp.wrap."""

from typing import Any


def transformer_auto_wrap_policy(module: Any, recurse: bool, nonwrapped_numel: int, transformer_layer_cls: Any = None) -> bool:
    return True


def size_based_auto_wrap_policy(module: Any, recurse: bool, nonwrapped_numel: int, min_num_params: int = 100_000_000) -> bool:
    return True
