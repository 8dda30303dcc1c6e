"""A model as the estimator sees it: the linears of a layer, the rest of a layer, embeddings and head, in elements."""

from __future__ import annotations

from functools import lru_cache

from budgetlint.base.record import record, replace
from budgetlint.catalog import ledger
from budgetlint.catalog.architecture import Architecture


@record
class Linear:
    """One matmul weight: ``inputs`` x ``outputs`` (x ``experts`` copies). ``reads`` names the tensor it reads, so that
    linears on one input share what they keep."""

    role: str
    inputs: int
    outputs: int
    reads: str
    experts: int = 1
    frozen: bool = False
    bias: bool = False

    @property
    def weights(self) -> int:
        return self.inputs * self.outputs * self.experts


@record
class Shape:
    """Element counts of a model. ``layer`` is the usual block; what the first dense layers of a mixture or a tower hold beside it is
    in ``other``, together with position tables. ``encoder``: the stack in front of a decoder that attends to it; ``frozen``: elements
    that never train; ``tower``: elements in the blocks of a vision tower; ``odd``: what layers of another kind
    have more than the usual."""

    arch: Architecture
    layers: int
    layer: tuple[Linear, ...]
    layer_small: int  # norms and biases of one layer
    embed: int
    head: int  # 0 when tied to the embedding
    final_norm: int
    other: int
    total: int
    encoder: Shape | None = None
    frozen: int = 0
    tower: int = 0
    odd: int = 0

    @property
    def stacks(self) -> tuple[Shape, ...]:
        """The decoder's, or the only one, and the encoder's in front of it."""
        return (self,) if self.encoder is None else (self, self.encoder)

    @property
    def in_front(self) -> int:
        """Elements of the encoder's layers."""
        return 0 if self.encoder is None else self.encoder.layers * self.encoder.layer_total

    @property
    def layer_linears(self) -> int:
        return sum(linear.weights for linear in self.layer)

    @property
    def layer_total(self) -> int:
        return self.layer_linears + self.layer_small

    @property
    def head_elements(self) -> int:
        """Elements of the matrix that makes the logits, tied or not."""
        return self.head or self.embed

    @property
    def root(self) -> int:
        """What is in no layer: embeddings, head, final norm."""
        return self.total - self.layers * self.layer_total - self.in_front - self.tower - self.odd


READS = {
    **dict.fromkeys(("q_proj", "k_proj", "v_proj", "qkv_proj", "q_a_proj", "kv_a_proj"), "attention_input"),
    "q_b_proj": "q_latent",
    "kv_b_proj": "kv_latent",
    "o_proj": "attention_output",
    **dict.fromkeys(("gate_proj", "up_proj", "gate_up_proj", "router", "shared_gate"), "mlp_input"),
    "down_proj": "mlp_product",
    **dict.fromkeys(("expert_gate_proj", "expert_up_proj", "expert_gate_up_proj"), "expert_input"),
    "expert_down_proj": "expert_product",
    **dict.fromkeys(("shared_gate_proj", "shared_up_proj", "shared_gate_up_proj"), "mlp_input"),
    "shared_down_proj": "shared_product",
}
"""Which tensor each role's matmul reads."""

DENSE = frozenset({"gate_proj", "up_proj", "down_proj"})
"""Roles that a mixture has in its first dense layers only."""


@lru_cache(maxsize=256)
def shape_of(arch: Architecture) -> Shape:
    """The shape of an architecture, from its exact tensor list."""
    if arch.kind in TWO_STACKS:
        encoder = _stack(arch, ("encoder", arch.layers))
        whole = _stack(arch, ("decoder", arch.decoder_layers))
        inside = encoder.layers * encoder.layer_total
        return replace(whole, encoder=encoder, other=whole.other - inside, frozen=_never_trained(arch))
    return replace(_stack(arch, _usual_layers(arch)), tower=_tower(arch), odd=_odd(arch))


def _odd(arch: Architecture) -> int:
    """Layers of full attention among those of linear attention: what their own tensors have more than the others'."""
    full = arch.number("attention_layers")
    if not full or arch.kind != "decoder":
        return 0
    linear = arch.layers - full
    own, usual = (
        sum(one.elements for one in ledger.weight_tensors(arch) if one.where == "layer" and one.layers == count) for count in (full, linear)
    )
    return own - full * usual // max(linear, 1)


def _tower(arch: Architecture) -> int:
    if arch.part("vision") is None or arch.kind != "decoder":
        return 0
    return sum(one.elements for one in ledger.weight_tensors(arch) if one.where == "vision" and one.layers)


TWO_STACKS = frozenset({"encoder-decoder", "speech"})


def _never_trained(arch: Architecture) -> int:
    """Sinusoidal positions: Whisper's encoder (modeling_whisper.py ``embed_positions.requires_grad_(False)``), both stacks of Pegasus
    (modeling_pegasus.py ``_freeze=True``)."""
    if arch.position == "sinusoidal":
        return 2 * (arch.max_positions or 0) * arch.hidden
    return arch.number("source_positions") * arch.hidden


def _stack(arch: Architecture, usual: tuple[str, int]) -> Shape:
    counts = {usual[1], usual[1] + (arch.first_dense_layers or 0)} if arch.experts else {usual[1]}
    counts |= {usual[1] - arch.number("attention_layers")} if arch.number("attention_layers") else set()
    layer = tuple(
        Linear(item.role, item.inputs, item.outputs, READS.get(item.role, item.role), item.per_layer, bias=item.bias)
        for item in ledger.linears(arch)
        if item.where == usual[0] and item.layers in counts and not (arch.experts and item.role in DENSE)
    )
    small = sum(
        tensor.numel * tensor.per_layer
        for tensor in ledger.weight_tensors(arch)
        if tensor.where == usual[0] and tensor.layers in counts and tensor.kind not in ("linear", "experts")
    )
    total = ledger.parameter_count(arch)
    embed, head = ledger.embedding_parameters(arch), ledger.head_parameters(arch)
    final = sum(tensor.elements for tensor in ledger.weight_tensors(arch) if tensor.where == "final")
    inside = usual[1] * (sum(linear.weights for linear in layer) + small)
    return Shape(arch, usual[1], layer, small, embed, head, final, total - inside - embed - head - final, total)


def _usual_layers(arch: Architecture) -> tuple[str, int]:
    """Where the usual block lies and how often it stands: the place with the most matmul weights."""
    sums: dict[tuple[str, int], int] = {}
    for item in ledger.linears(arch):
        if item.where in ("layer", "encoder", "decoder", "vision"):
            key = (item.where, item.layers)
            sums[key] = sums.get(key, 0) + item.weights
    return max(sums, key=lambda key: sums[key]) if sums else ("layer", arch.layers)
