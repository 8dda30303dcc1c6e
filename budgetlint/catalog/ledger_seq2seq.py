"""The weight tensors of encoder-decoders: T5 and its kin, BART, mBART and Pegasus (transformers 5.24.0 modeling_*.py)."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import family_of
from budgetlint.catalog.ledger_blocks import attention, block, head, mlp, norm
from budgetlint.catalog.module_names import DOWN, GATE, UP, K, ModuleNames, O, Q, V
from budgetlint.catalog.tensor import WeightTensor


def seq2seq_tensors(arch: Architecture) -> Iterator[WeightTensor]:
    yield from _bart_tensors(arch) if family_of(arch.family).stacks.written == "bart" else _t5_tensors(arch)


def _t5_tensors(arch: Architecture) -> Iterator[WeightTensor]:
    """One shared embedding, relative position buckets in the first layer of either stack, cross-attention."""
    names = family_of(arch.family).names
    yield WeightTensor("embed", "embedding", names.embed, arch.vocab, arch.hidden, "embed")
    for stack, layers, where in (("encoder", arch.layers, "encoder"), ("decoder", arch.decoder_layers, "decoder")):
        at = f"{stack}.block.*"
        yield from _t5_block(arch, names, at, where, layers)
        every = bool(arch.number("bias_in_every_layer"))  # modeling_umt5.py
        module = f"{at if every else f'{stack}.block.0'}.layer.0.SelfAttention.relative_attention_bias"
        buckets, count = arch.number("rel_buckets", 32), layers if every else 0
        yield WeightTensor("pos_embed", "embedding", module, buckets, arch.heads, where, count)
        yield from norm(arch, f"{stack}.final_layer_norm", arch.hidden, where, 0)
    yield from head(arch, names)


def _t5_block(arch: Architecture, names: ModuleNames, at: str, where: str, layers: int) -> Iterator[WeightTensor]:
    cross = where == "decoder"
    yield from attention(arch, names, at, where, layers)
    if cross:
        named = replace(names, modules={role: f"layer.1.EncDecAttention.{role[0]}" for role in (Q, K, V, O)})
        yield from crossed(attention(arch, named, at, where, layers))
    place = "layer.2.DenseReluDense" if cross else "layer.1.DenseReluDense"
    fed = {GATE: f"{place}.wi_0", UP: f"{place}.wi_1" if arch.glu else f"{place}.wi", DOWN: f"{place}.wo"}
    yield from mlp(arch, replace(names, modules={**names.modules, **fed}), at, where, layers)
    for index in range(3 if cross else 2):
        yield from norm(arch, f"{at}.layer.{index}.layer_norm", arch.hidden, where, layers)


def crossed(tensors: Iterator[WeightTensor]) -> Iterator[WeightTensor]:
    """The same tensors as those of a decoder's attention to the encoder."""
    for tensor in tensors:
        yield replace(tensor, role=f"cross_{tensor.role}") if tensor.kind == "linear" else tensor


# -- BART --------------------------------------------------------------------------------------------------------------


def _bart_tensors(arch: Architecture) -> Iterator[WeightTensor]:
    """One shared embedding, positions in either stack; a norm of the embeddings (not in Pegasus) and one at the end (not in BART)."""
    family, hidden = family_of(arch.family), arch.hidden
    names, stacks = family.names, family.stacks
    rows = (arch.max_positions or 0) + (arch.number("position_offset") if arch.position == "learned" else 0)
    yield WeightTensor("embed", "embedding", names.embed, arch.vocab, hidden, "embed")
    for stack, layers in (("encoder", arch.layers), ("decoder", arch.decoder_layers)):
        start = f"model.{stack}"
        yield WeightTensor("pos_embed", "embedding", f"{start}.embed_positions", rows, hidden, stack)
        if stacks.embed_norm:
            yield from norm(arch, f"{start}.layernorm_embedding", hidden, stack, 0)
        yield from block(arch, names, f"{start}.layers.*", stack, layers)
        if stack == "decoder":
            yield from cross_attention(arch, names, layers)
        if stacks.last_norm:
            yield from norm(arch, f"{start}.layer_norm", hidden, stack, 0)
    yield from head(arch, names)


def cross_attention(arch: Architecture, names: ModuleNames, layers: int) -> Iterator[WeightTensor]:
    """A decoder's attention to the encoder and the norm beside it, as BART and Whisper name them."""
    named = replace(names, modules={role: path.replace("self_attn", "encoder_attn") for role, path in names.modules.items()})
    yield from crossed(attention(arch, named, names.decoder, "decoder", layers))
    yield from norm(arch, f"{names.decoder}.encoder_attn_layer_norm", arch.hidden, "decoder", layers)
