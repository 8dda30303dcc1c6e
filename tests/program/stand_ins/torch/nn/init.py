"""torch.nn.init."""

from typing import Any


def normal_(tensor: Any, *args: Any, **kwargs: Any) -> Any:
    return tensor


zeros_ = kaiming_uniform_ = xavier_uniform_ = normal_
