"""What every moment of a step starts from."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from budgetlint.base.record import open_record
from budgetlint.memory import activations, gradients
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import Saved
from budgetlint.memory.static import Trainable
from budgetlint.memory.term import Part, Term

if TYPE_CHECKING:
    from budgetlint.memory.two_stacks import Encoder


@open_record
class Step:
    """What the moments share: the layer's saved tensors, the resting terms, the gradients; ``seen``: what a vision tower holds until
    the decoder's backward has reached it, which is among what is ``flying``."""

    plan: Plan
    train: Trainable
    layer: tuple[Saved, ...]
    resting: tuple[Part, ...]
    gradients: Term
    flying: tuple[Part, ...] = ()
    seen: tuple[Part, ...] = ()
    front: Encoder | None = None

    @cached_property
    def kept(self) -> tuple[Part, ...]:
        """Everything the layers hold at the end of the forward."""
        return tuple(activations.kept_layers(self.plan, self.layer))

    @cached_property
    def carried(self) -> tuple[Term, ...]:
        """Gradients of the micro batches before this one."""
        kept = self.plan.carries and not self.plan.optimizer_in_backward
        return (gradients.accumulated(self.plan, self.train),) if kept else ()
