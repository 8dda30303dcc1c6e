"""The weight tensors of encoders (BERT's kin), encoder-decoders (T5), speech (Whisper) and vision models (ViT, CLIP, SigLIP)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import DOWN, GATE, UP, Family, K, O, Q, V, family_of
from budgetlint.catalog.ledger_decoder import attention, block, head, linear, mlp, norm
from budgetlint.catalog.tensor import WeightTensor


def encoder_tensors(arch: Architecture) -> Iterator[WeightTensor]:
    """The bare model (``BertModel``), with its pooler where the checkpoint has one."""
    family, hidden = family_of(arch.family), arch.hidden
    yield WeightTensor("embed", "embedding", family.embed, arch.vocab, hidden, "embed")
    if arch.position == "learned":
        yield WeightTensor("pos_embed", "embedding", family.positions, arch.max_positions or 0, hidden, "embed")
    if arch.number("type_vocab"):
        yield WeightTensor("type_embed", "embedding", "embeddings.token_type_embeddings", arch.number("type_vocab"), hidden, "embed")
    yield from norm(arch, family.embed_norm, hidden, "embed", 0)
    if arch.number("rel_buckets"):
        # modeling_deberta_v2.py:579: 2 x position_buckets rows, and a LayerNorm over them
        yield WeightTensor("pos_embed", "embedding", "encoder.rel_embeddings", 2 * arch.number("rel_buckets"), hidden, "embed")
        yield from norm(arch, "encoder.LayerNorm", hidden, "embed", 0)
    if arch.number("conv_kernel"):
        # modeling_deberta_v2.py ConvLayer: a convolution beside the first layer, and a LayerNorm over the sum
        yield WeightTensor("conv", "conv", "encoder.conv.conv", hidden, hidden * arch.number("conv_kernel"), "embed")
        yield WeightTensor("bias", "bias", "encoder.conv.conv", hidden, 0, "embed")
        yield from norm(arch, "encoder.conv.LayerNorm", hidden, "embed", 0)
    yield from _first_norm_missing(arch, block(arch, family, family.layers, "layer", arch.layers))
    if arch.final_norm:
        yield from norm(arch, family.final_norm, hidden, "final", 0)
    if arch.number("pooler"):
        yield from linear("pooler", "pooler.dense", hidden, hidden, True, "head", 0)


def _first_norm_missing(arch: Architecture, tensors: Iterator[WeightTensor]) -> Iterator[WeightTensor]:
    """ModernBERT's first layer has no attention norm (modeling_modernbert.py:297-300)."""
    for tensor in tensors:
        missing = arch.family == "modernbert" and tensor.module.endswith("attn_norm")
        yield replace(tensor, layers=tensor.layers - 1) if missing else tensor


def seq2seq_tensors(arch: Architecture) -> Iterator[WeightTensor]:
    """T5: one shared embedding, relative position buckets in the first layer of either stack, cross-attention."""
    family = family_of(arch.family)
    yield WeightTensor("embed", "embedding", family.embed, arch.vocab, arch.hidden, "embed")
    for stack, layers, where in (("encoder", arch.layers, "encoder"), ("decoder", arch.decoder_layers, "decoder")):
        at = f"{stack}.block.*"
        yield from _t5_block(arch, family, at, where, layers)
        yield WeightTensor(
            "pos_embed",
            "embedding",
            f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias",
            arch.number("rel_buckets", 32),
            arch.heads,
            where,
        )
        yield from norm(arch, f"{stack}.final_layer_norm", arch.hidden, where, 0)
    yield from head(arch, family)


def _t5_block(arch: Architecture, family: Family, at: str, where: str, layers: int) -> Iterator[WeightTensor]:
    cross = where == "decoder"
    yield from attention(arch, family, at, where, layers)
    if cross:
        named = replace(family, modules={role: f"layer.1.EncDecAttention.{role[0]}" for role in (Q, K, V, O)})
        yield from _cross(attention(arch, named, at, where, layers))
    place = "layer.2.DenseReluDense" if cross else "layer.1.DenseReluDense"
    names = {GATE: f"{place}.wi_0", UP: f"{place}.wi_1" if arch.glu else f"{place}.wi", DOWN: f"{place}.wo"}
    yield from mlp(arch, replace(family, modules={**family.modules, **names}), at, where, layers)
    for index in range(3 if cross else 2):
        yield from norm(arch, f"{at}.layer.{index}.layer_norm", arch.hidden, where, layers)


def _cross(tensors: Iterator[WeightTensor]) -> Iterator[WeightTensor]:
    for tensor in tensors:
        yield replace(tensor, role=f"cross_{tensor.role}") if tensor.kind == "linear" else tensor


def speech_tensors(arch: Architecture) -> Iterator[WeightTensor]:
    """Whisper: two convolutions over mel bins, sinusoidal encoder positions (kept as a parameter), two stacks."""
    family, hidden = family_of(arch.family), arch.hidden
    bare = replace(arch, extra=(*arch.extra, ("key_without_bias", 1)))
    for index, inputs in ((1, arch.number("mel_bins")), (2, hidden)):
        yield WeightTensor("conv", "conv", f"model.encoder.conv{index}", hidden, 3 * inputs, "encoder")
        yield WeightTensor("bias", "bias", f"model.encoder.conv{index}", hidden, 0, "encoder")
    yield WeightTensor("pos_embed", "embedding", "model.encoder.embed_positions", arch.number("source_positions"), hidden, "encoder")
    yield from block(bare, family, family.layers, "encoder", arch.layers)
    yield from norm(arch, "model.encoder.layer_norm", hidden, "encoder", 0)
    yield WeightTensor("embed", "embedding", family.embed, arch.vocab, hidden, "embed")
    yield WeightTensor("pos_embed", "embedding", family.positions, arch.max_positions or 0, hidden, "embed")
    yield from block(bare, family, family.decoder, "decoder", arch.decoder_layers)
    crossed = replace(family, modules={role: path.replace("self_attn", "encoder_attn") for role, path in family.modules.items()})
    yield from _cross(attention(bare, crossed, family.decoder, "decoder", arch.decoder_layers))
    yield from norm(arch, f"{family.decoder}.encoder_attn_layer_norm", hidden, "decoder", arch.decoder_layers)
    yield from norm(arch, "model.decoder.layer_norm", hidden, "decoder", 0)
    yield from head(arch, family)


def vision_tensors(arch: Architecture) -> Iterator[WeightTensor]:
    """ViT without classifier: a class token, learned positions, patches by a biased convolution."""
    yield from tower_tensors(arch, "", "layer")


TOKENS_BEFORE = {"vit": 1, "clip_vision": 1}
PATCH_BIAS = {"vit": True, "clip_vision": False, "siglip": True}


def tower_tensors(arch: Architecture, at: str, where: str) -> Iterator[WeightTensor]:
    """A vision encoder under the module ``at``: patches, positions (and a class token), blocks, last norm."""
    family, hidden, start = family_of(arch.family), arch.hidden, f"{at}." if at else ""
    patch, side = arch.number("patch_size"), arch.number("image_size")
    before = TOKENS_BEFORE.get(arch.family, 0)
    if before:
        yield WeightTensor("class_token", "vector", f"{start}embeddings.class_embedding", hidden, 0, where)
    yield WeightTensor("patch_embed", "conv", f"{start}{family.embed}", hidden, 3 * patch * patch, where)
    if PATCH_BIAS[arch.family]:
        yield WeightTensor("bias", "bias", f"{start}{family.embed}", hidden, 0, where)
    yield WeightTensor("pos_embed", "embedding", f"{start}{family.positions}", (side // patch) ** 2 + before, hidden, where)
    if arch.family == "clip_vision":
        yield from norm(arch, f"{start}pre_layrnorm", hidden, where, 0)
    yield from block(arch, family, start + family.layers, where, arch.layers)
    yield from norm(arch, start + family.final_norm, hidden, where, 0)


def dual_tensors(arch: Architecture) -> Iterator[WeightTensor]:
    """CLIP: a text and a vision tower, two projections into one space, a temperature."""
    text, vision, width = arch.part("text"), arch.part("vision"), arch.number("projection_dim")
    if text is None or vision is None:
        return
    family = family_of(text.family)
    yield WeightTensor("embed", "embedding", f"text_model.{family.embed}", text.vocab, text.hidden, "text")
    yield WeightTensor("pos_embed", "embedding", f"text_model.{family.positions}", text.max_positions or 0, text.hidden, "text")
    yield from block(text, family, f"text_model.{family.layers}", "text", text.layers)
    yield from norm(text, "text_model.final_layer_norm", text.hidden, "text", 0)
    yield from tower_tensors(vision, "vision_model", "vision")
    yield from linear("projection", "text_projection", width, text.hidden, False, "head", 0)
    yield from linear("projection", "visual_projection", width, vision.hidden, False, "head", 0)
    yield WeightTensor("logit_scale", "vector", "logit_scale", 1, 0, "head")
