"""torch.nn.utils."""

from typing import Any


def clip_grad_norm_(parameters: Any, max_norm: float, **kwargs: Any) -> float:
    return 1.0
