"""torch.amp."""

from typing import Any

from recorder import sink

from torch import autocast as autocast


class GradScaler:
    @sink("torch.amp.GradScaler")
    def __init__(self, device: str = "cuda", init_scale: float = 65536.0, enabled: bool = True) -> None:
        self.enabled = enabled

    def scale(self, loss: Any) -> Any:
        return loss

    def step(self, optimizer: Any) -> None:
        optimizer.step()

    def update(self) -> None:
        """Nothing is scaled."""

    def unscale_(self, optimizer: Any) -> None:
        """Nothing is scaled."""
