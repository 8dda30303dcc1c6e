"""torch.utils.checkpoint."""

from typing import Any


def checkpoint(function: Any, *args: Any, use_reentrant: Any = None, **kwargs: Any) -> Any:
    return function(*args)
