"""The weight tensors of text encoders: BERT and its kin."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import family_of
from budgetlint.catalog.ledger_blocks import block, linear, norm
from budgetlint.catalog.module_names import ModuleNames
from budgetlint.catalog.tensor import WeightTensor


def encoder_tensors(arch: Architecture) -> Iterator[WeightTensor]:
    """The bare model (``BertModel``), with its pooler where the checkpoint has one."""
    names, hidden = family_of(arch.family).names, arch.hidden
    width = arch.number("embed_width", hidden)
    yield WeightTensor("embed", "embedding", names.embed, arch.vocab, width, "embed")
    if arch.position == "learned":
        yield WeightTensor("pos_embed", "embedding", names.positions, arch.max_positions or 0, width, "embed")
    if arch.number("type_vocab"):
        yield WeightTensor("type_embed", "embedding", "embeddings.token_type_embeddings", arch.number("type_vocab"), width, "embed")
    yield from norm(arch, names.embed_norm, width, "embed", 0)
    if width != hidden:  # modeling_electra.py ``embeddings_project``
        yield from linear("project_in", "embeddings_project", hidden, width, True, "embed", 0)
    if arch.number("rel_buckets"):
        # modeling_deberta_v2.py:579: 2 x position_buckets rows, and a LayerNorm over them
        yield WeightTensor("pos_embed", "embedding", "encoder.rel_embeddings", 2 * arch.number("rel_buckets"), hidden, "embed")
        yield from norm(arch, "encoder.LayerNorm", hidden, "embed", 0)
    if arch.number("conv_kernel"):
        # modeling_deberta_v2.py ConvLayer: a convolution beside the first layer, and a LayerNorm over the sum
        yield WeightTensor("conv", "conv", "encoder.conv.conv", hidden, hidden * arch.number("conv_kernel"), "embed")
        yield WeightTensor("bias", "bias", "encoder.conv.conv", hidden, 0, "embed")
        yield from norm(arch, "encoder.conv.LayerNorm", hidden, "embed", 0)
    yield from _first_norm_missing(names, block(arch, names, names.layers, "layer", arch.layers))
    if arch.final_norm:
        yield from norm(arch, names.final_norm, hidden, "final", 0)
    if arch.number("pooler"):
        yield from linear("pooler", "pooler.dense", hidden, hidden, True, "head", 0)


def _first_norm_missing(names: ModuleNames, tensors: Iterator[WeightTensor]) -> Iterator[WeightTensor]:
    """ModernBERT's first layer has no attention norm (modeling_modernbert.py:297-300)."""
    for tensor in tensors:
        missing = tensor.module == f"{names.layers}.{names.not_in_first}"
        yield replace(tensor, layers=tensor.layers - 1) if missing else tensor
