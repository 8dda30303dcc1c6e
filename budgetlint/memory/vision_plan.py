"""What a plan says of the vision tower in front of the decoder; what that comes to is in `vision.py`."""

from __future__ import annotations

from budgetlint.base.record import record


@record
class Vision:
    """``patches`` of one micro batch and ``span``, those that attend to one another; ``tower`` and ``projector``: their own weights
    train; ``roles``: linears of a block with an adapter; ``adapted``: inputs, outputs and number of every such linear, the projector's
    too."""

    patches: int = 0
    span: int = 1
    tower: bool = True
    projector: bool = True
    roles: frozenset[str] = frozenset()
    adapted: tuple[tuple[int, int, int], ...] = ()

    @property
    def learns(self) -> bool:
        """A gradient goes through the blocks."""
        return self.tower or bool(self.roles)
