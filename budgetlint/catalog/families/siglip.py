"""SigLIP's vision tower (transformers 5.24.0 models/siglip/)."""

from __future__ import annotations

from budgetlint.catalog.family import TRACED, Family, Tower, VisionEncoder
from budgetlint.catalog.module_names import ATTENTION, CLIP_FFN, ModuleNames, O

FAMILY = Family(
    "siglip",
    like="clip_vision",
    basis=TRACED,
    vision=VisionEncoder(tokens=0, class_token="", patch_bias=True, front_norm=""),
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
        patch_bias=True,
        class_token=False,
        positions="table",
        square=True,
        half_stream=False,
        decoder="model.language_model",
        last="post_layernorm",
    ),
)
