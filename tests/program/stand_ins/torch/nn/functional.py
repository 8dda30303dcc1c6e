"""torch.nn.functional."""

from typing import Any

from torch import Tensor


def cross_entropy(*args: Any, **kwargs: Any) -> Tensor:
    return Tensor()


relu = gelu = silu = softmax = log_softmax = mse_loss = linear = dropout = pad = cross_entropy
