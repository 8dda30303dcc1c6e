"""torch.optim.lr_scheduler."""

from typing import Any


class LRScheduler:
    def __init__(self, optimizer: Any, *args: Any, **kwargs: Any) -> None:
        self.optimizer = optimizer

    def step(self, *args: Any) -> None:
        """Nothing is scheduled."""

    def get_last_lr(self) -> list[float]:
        return [0.0]

    def state_dict(self) -> dict[str, Any]:
        return {}


LambdaLR = CosineAnnealingLR = LinearLR = StepLR = OneCycleLR = LRScheduler
