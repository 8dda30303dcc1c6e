"""What every moment of a step starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from budgetlint.base.record import record
from budgetlint.memory.body import Body, Gradients
from budgetlint.memory.parts import Parts
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import Saved
from budgetlint.memory.static import Trainable
from budgetlint.memory.term import Part

if TYPE_CHECKING:
    from budgetlint.memory.two_stacks import Encoder


@record
class Step:
    """What the moments share: the layer's saved tensors, the resting terms, the gradients, the body; ``parts``: where they are from;
    ``seen``: what a vision tower holds until the decoder's backward has reached it, which is among what is ``flying``."""

    plan: Plan
    train: Trainable
    layer: tuple[Saved, ...]
    resting: tuple[Part, ...]
    gradients: Gradients
    body: Body
    parts: Parts
    flying: tuple[Part, ...] = ()
    seen: tuple[Part, ...] = ()
    front: Encoder | None = None
