"""CLIP's vision tower (transformers 5.24.0 models/clip/)."""

from __future__ import annotations

from budgetlint.catalog.family import TRACED, Family, Tower, VisionEncoder
from budgetlint.catalog.module_names import ATTENTION, CLIP_FFN, ModuleNames, O

FAMILY = Family(
    "clip_vision",
    basis=TRACED,
    names=ModuleNames(
        modules={**ATTENTION, O: "self_attn.out_proj", **CLIP_FFN},
        norms=("layer_norm1", "layer_norm2"),
        layers="encoder.layers.*",
        embed="embeddings.patch_embedding",
        positions="embeddings.position_embedding",
        final_norm="post_layernorm",
        head="",
    ),
    vision=VisionEncoder(tokens=1, class_token="embeddings.class_embedding", patch_bias=False, front_norm="pre_layrnorm"),
    tower=Tower(
        names=ModuleNames(
            modules={**ATTENTION, O: "self_attn.out_proj", **CLIP_FFN},
            norms=("layer_norm1", "layer_norm2"),
            layers="encoder.layers.*",
            embed="",
            final_norm="",
            head="",
        ),
        at="model.vision_tower",
        patch="embeddings.patch_embedding",
        patch_bias=False,
        class_token=True,
        positions="table",
        square=True,
        half_stream=False,
        decoder="model.language_model",
        front="pre_layrnorm",
        last="post_layernorm",
    ),
    always_masked=False,
    eager="fp32",
    norm="shape",
    normed_stream=False,
)
