"""One weight tensor, and one matmul weight, as the ledger lists them."""

from __future__ import annotations

from budgetlint.base.record import record

TOWER_PLACES = frozenset({"vision", "projector"})
"""`WeightTensor.where` of a vision tower's tensors, and of those that bring its output to the decoder's width."""


@record
class WeightTensor:
    """``per_layer`` copies of a ``rows`` x ``cols`` tensor (``cols`` 0: a vector) in each of ``layers`` layers.

    ``rows`` are outputs, ``cols`` inputs. ``layers`` 0 is a tensor outside the blocks. ``role``: ``embed``, ``pos_embed``,
    ``q_proj`` … ``down_proj``, ``qkv_proj``, ``gate_up_proj``, ``router``, ``expert_*``, ``shared_*``, ``norm``, ``bias``,
    ``lm_head`` …; ``kind``: ``linear | embedding | norm | bias | experts | conv | vector``; ``where``: ``embed | layer |
    encoder | decoder | vision | text | final | head``; ``module`` the real module's path with ``*`` for indices.
    """

    role: str
    kind: str
    module: str
    rows: int
    cols: int
    where: str
    layers: int = 0
    per_layer: int = 1

    @property
    def count(self) -> int:
        return max(self.layers, 1) * self.per_layer

    @property
    def numel(self) -> int:
        return self.rows * max(self.cols, 1)

    @property
    def elements(self) -> int:
        return self.numel * self.count

    @property
    def name(self) -> str:
        return self.module if self.kind == "vector" else f"{self.module}.{'bias' if self.kind == 'bias' else 'weight'}"

    @property
    def leaf(self) -> str:
        """The module's own name, without its parents and indices."""
        return next(part for part in reversed(self.module.split(".")) if part != "*" and not part.isdigit())


@record
class BlockLinear:
    """A matmul weight of the blocks: ``layers`` x ``per_layer`` copies of ``inputs`` -> ``outputs``."""

    role: str
    module: str
    inputs: int
    outputs: int
    layers: int
    per_layer: int
    where: str
    bias: bool

    @property
    def count(self) -> int:
        return self.layers * self.per_layer

    @property
    def weights(self) -> int:
        """Elements over all layers, without biases."""
        return self.inputs * self.outputs * self.count
