"""A tape: the forward of one layer, operation by operation, noting which tensors autograd keeps.

A layer of a family is a short program over `TapeTensor`s that follows its model code. The rules are torch's own: a matmul keeps
its input if its weight trains, a product keeps both factors, a softmax its result, a view keeps the memory it looks at, and
one tensor kept twice counts once.
"""

from __future__ import annotations

from math import prod

from budgetlint.base.record import state
from budgetlint.catalog.families import family_of
from budgetlint.memory.plan import Plan
from budgetlint.memory.saved import Saved, module_bytes, norm_weight_bytes, residual_bytes
from budgetlint.memory.shape import Linear
from budgetlint.memory.term import Dims


@state
class TapeTensor:
    """A tensor: ``width`` elements for a token and ``pair`` for a pair of positions, of ``size`` bytes; ``base`` is the tensor
    whose memory it looks at, if not its own. ``side``: what its tokens are: the layer's own, the positions of the encoder
    (``source``), for a pair one of each (``cross``), positions without a batch (``table``), or sequences (``sequence``)."""

    width: int
    size: int
    pair: int = 0
    base: TapeTensor | None = None
    side: str = ""

    def view(self, width: int) -> TapeTensor:
        """A part of this tensor, without a copy."""
        return TapeTensor(width, self.size, base=self.base or self, side=self.side)


class Tape:
    """The plan's dtypes, the record of its family, what has been kept so far, and what each linear gave (``results``), kept or not."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.arch = plan.arch
        self.family = family_of(plan.arch.family)
        self.compute = plan.precision.compute
        self.autocast = plan.precision.autocast
        self.weights = module_bytes(plan)
        self.norm_weights = norm_weight_bytes(plan)
        self.stream = residual_bytes(plan)
        self.trains = plan.full
        self.linears: dict[str, Linear] = {linear.role: linear for linear in plan.shape.layer}
        self.kept: dict[TapeTensor, Saved] = {}
        self.named: dict[str, int] = {}
        self.results: dict[str, TapeTensor] = {}

    def input(self) -> TapeTensor:
        """The residual stream as the layer before gives it."""
        return TapeTensor(self.arch.hidden, self.stream)

    def keep(self, value: TapeTensor, part: str, slug: str) -> None:
        """``slug`` names it in the layer; the second tensor of a name gets a number."""
        base = value.base or value
        if base not in self.kept:
            size, many = base.size, self.named.get(slug, 0) + 1
            self.named[slug] = many
            slug = slug if many == 1 else f"{slug}-{many}"
            if base.side:
                dims = self._dims(base)
                self.kept[base] = Saved(part, slug, 0, 0, size * prod([count for _, count in dims]), size, dims)
            else:
                self.kept[base] = Saved(part, slug, size * base.width, size * base.pair, 0, size)

    def _dims(self, value: TapeTensor) -> Dims:
        """The shape of a tensor that the layer's own tokens do not measure."""
        plan = self.plan
        if value.side == "table":
            return ("head", value.pair), ("seq", plan.length), ("position", plan.length)
        batch, source = ("batch", plan.batch or 1), ("source", plan.source or 0)
        if value.side == "sequence":
            return batch, ("width", value.width)
        return (*plan.rows, ("head", value.pair), source) if value.pair else (batch, source, ("width", value.width))

    def cast(self, value: TapeTensor, size: int) -> TapeTensor:
        """``value.to(dtype)``: a new tensor, unless it has that dtype."""
        return value if value.size == size else TapeTensor(value.width, size, value.pair, None, value.side)

    def low(self, value: TapeTensor) -> TapeTensor:
        """What autocast hands to a matmul: its own 16-bit copy of an fp32 tensor."""
        return self.cast(value, self.compute) if self.autocast else value

    def full(self, value: TapeTensor) -> TapeTensor:
        """What autocast hands to an operation of its fp32 list."""
        return self.cast(value, 4) if self.autocast else value

    def saved(self) -> tuple[Saved, ...]:
        return tuple(self.kept.values())


def new(value: TapeTensor, other: TapeTensor | None = None) -> TapeTensor:
    """The result of an element-wise operation: a tensor of the wider dtype."""
    size = value.size if other is None else max(value.size, other.size)
    return TapeTensor(value.width, size, value.pair, None, value.side)
