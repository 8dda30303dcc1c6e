"""The weight tensors of vision encoders: ViT and DeiT, DINOv2, the towers of CLIP and SigLIP; the pair of towers that CLIP is.

transformers 5.24.0 modeling_vit.py, modeling_deit.py, modeling_dinov2.py, modeling_dinov2_with_registers.py, modeling_clip.py,
modeling_siglip.py; the counts of every row equal those of the classes on meta tensors (`benchmarks/count_encoders.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import family_of
from budgetlint.catalog.ledger_blocks import block, linear, norm
from budgetlint.catalog.module_names import DOWN, GATE, UP, ModuleNames
from budgetlint.catalog.tensor import WeightTensor


def patches(arch: Architecture) -> int:
    """Patches of one image at the size that the position table is made for."""
    return (arch.number("image_size") // (arch.number("patch_size") or 1)) ** 2


def image_tokens(arch: Architecture, image_size: int = 0) -> int:
    """Positions that one image takes in the encoder: patches, class and distillation token, registers. ``image_size``: the side
    in pixels, by default the checkpoint's own."""
    side = (image_size or arch.number("image_size")) // (arch.number("patch_size") or 1)
    return side**2 + family_of(arch.family).vision.tokens + arch.number("registers")


def vision_tensors(arch: Architecture) -> Iterator[WeightTensor]:
    """A vision encoder that stands alone, without a classifier."""
    yield from tower_tensors(arch, "", "layer")
    if arch.number("pooler"):
        yield from linear("pooler", "pooler.dense", arch.hidden, arch.hidden, True, "head", 0)


def tower_tensors(arch: Architecture, at: str, where: str) -> Iterator[WeightTensor]:
    """A vision encoder under the module ``at``: patches, positions (and learned tokens), blocks, last norm."""
    family, hidden, start = family_of(arch.family), arch.hidden, f"{at}." if at else ""
    names, vision, patch = family.names, family.vision, arch.number("patch_size")
    yield from _learned_tokens(arch, start, where)
    yield WeightTensor("patch_embed", "conv", f"{start}{names.embed}", hidden, 3 * patch * patch, where)
    if vision.patch_bias:
        yield WeightTensor("bias", "bias", f"{start}{names.embed}", hidden, 0, where)
    yield WeightTensor("pos_embed", "embedding", f"{start}{names.positions}", patches(arch) + vision.tokens, hidden, where)
    if vision.front_norm:
        yield from norm(arch, f"{start}{vision.front_norm}", hidden, where, 0)
    at = start + names.layers
    yield from block(arch, _gated(names) if arch.glu else names, at, where, arch.layers)
    if arch.number("layer_scale"):
        yield from (WeightTensor("scale", "vector", f"{at}.layer_scale{index}.lambda1", hidden, 0, where, arch.layers) for index in (1, 2))
    yield from norm(arch, start + names.final_norm, hidden, where, 0)
    if arch.number("pooling_head"):
        yield from _pooling_head(arch, f"{start}head", where)


def _gated(names: ModuleNames) -> ModuleNames:
    """modeling_dinov2.py Dinov2SwiGLUFFN, of the giant model only."""
    return replace(names, modules={**names.modules, GATE: "mlp.gate_proj", UP: "mlp.up_proj", DOWN: "mlp.down_proj"})


def _learned_tokens(arch: Architecture, start: str, where: str) -> Iterator[WeightTensor]:
    hidden, vision = arch.hidden, family_of(arch.family).vision
    if vision.class_token:
        yield WeightTensor("class_token", "vector", start + vision.class_token, hidden, 0, where)
    if vision.tokens > 1:
        yield WeightTensor("class_token", "vector", f"{start}embeddings.distillation_token", hidden, 0, where)
    if arch.number("mask_token"):
        yield WeightTensor("mask_token", "vector", f"{start}embeddings.mask_token", hidden, 0, where)
    if arch.number("registers"):
        yield WeightTensor("registers", "vector", f"{start}embeddings.register_tokens", arch.number("registers"), hidden, where)


def _pooling_head(arch: Architecture, at: str, where: str) -> Iterator[WeightTensor]:
    """modeling_siglip.py SiglipMultiheadAttentionPoolingHead: one probe attends to the patches, a norm and an MLP behind it."""
    hidden, inner = arch.hidden, arch.intermediate
    yield WeightTensor("probe", "vector", f"{at}.probe", hidden, 0, where)
    yield from linear("pool_qkv", f"{at}.attention.in_proj", 3 * hidden, hidden, True, where, 0)
    yield from linear("pool_o", f"{at}.attention.out_proj", hidden, hidden, True, where, 0)
    yield from norm(arch, f"{at}.layernorm", hidden, where, 0)
    yield from linear("pool_up", f"{at}.mlp.fc1", inner, hidden, True, where, 0)
    yield from linear("pool_down", f"{at}.mlp.fc2", hidden, inner, True, where, 0)


def dual_tensors(arch: Architecture) -> Iterator[WeightTensor]:
    """CLIP: a text and a vision tower, two projections into one space, a temperature."""
    text, vision, width = arch.part("text"), arch.part("vision"), arch.number("projection_dim")
    if text is None or vision is None:
        return
    names = family_of(text.family).names
    yield WeightTensor("embed", "embedding", f"text_model.{names.embed}", text.vocab, text.hidden, "text")
    yield WeightTensor("pos_embed", "embedding", f"text_model.{names.positions}", text.max_positions or 0, text.hidden, "text")
    yield from block(text, names, f"text_model.{names.layers}", "text", text.layers)
    yield from norm(text, "text_model.final_layer_norm", text.hidden, "text", 0)
    yield from tower_tensors(vision, "vision_model", "vision")
    yield from linear("projection", "text_projection", width, text.hidden, False, "head", 0)
    yield from linear("projection", "visual_projection", width, vision.hidden, False, "head", 0)
    yield WeightTensor("logit_scale", "vector", "logit_scale", 1, 0, "head")
