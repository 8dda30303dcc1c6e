"""accelerate.utils."""

from typing import Any

from recorder import keep, write


def set_seed(seed: int, **kwargs: Any) -> None:
    """Nothing is drawn."""


def _plugin(name: str) -> type:
    def __init__(self: Any, **kwargs: Any) -> None:
        keep(self, write(f"accelerate.utils.{name}", kwargs))

    return type(name, (), {"__init__": __init__, "__module__": "accelerate.utils"})


DeepSpeedPlugin = _plugin("DeepSpeedPlugin")
FullyShardedDataParallelPlugin = _plugin("FullyShardedDataParallelPlugin")
ProjectConfiguration = _plugin("ProjectConfiguration")
DistributedDataParallelKwargs = _plugin("DistributedDataParallelKwargs")
GradientAccumulationPlugin = _plugin("GradientAccumulationPlugin")
