"""The weight tensors of speech models: Whisper."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import family_of
from budgetlint.catalog.ledger_blocks import block, head, norm
from budgetlint.catalog.ledger_seq2seq import cross_attention
from budgetlint.catalog.tensor import WeightTensor


def speech_tensors(arch: Architecture) -> Iterator[WeightTensor]:
    """Whisper: two convolutions over mel bins, sinusoidal encoder positions (kept as a parameter), two stacks."""
    names, hidden = family_of(arch.family).names, arch.hidden
    bare = replace(arch, extra=(*arch.extra, ("key_without_bias", 1)))
    for index, inputs in ((1, arch.number("mel_bins")), (2, hidden)):
        yield WeightTensor("conv", "conv", f"model.encoder.conv{index}", hidden, 3 * inputs, "encoder")
        yield WeightTensor("bias", "bias", f"model.encoder.conv{index}", hidden, 0, "encoder")
    yield WeightTensor("pos_embed", "embedding", "model.encoder.embed_positions", arch.number("source_positions"), hidden, "encoder")
    yield from block(bare, names, names.layers, "encoder", arch.layers)
    yield from norm(arch, "model.encoder.layer_norm", hidden, "encoder", 0)
    yield WeightTensor("embed", "embedding", names.embed, arch.vocab, hidden, "embed")
    yield WeightTensor("pos_embed", "embedding", names.positions, arch.max_positions or 0, hidden, "embed")
    yield from block(bare, names, names.decoder, "decoder", arch.decoder_layers)
    yield from cross_attention(bare, names, arch.decoder_layers)
    yield from norm(arch, "model.decoder.layer_norm", hidden, "decoder", 0)
    yield from head(arch, names)
