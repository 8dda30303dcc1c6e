"""InternVL's vision tower (transformers 5.24.0 models/internvl/)."""

from __future__ import annotations

from budgetlint.catalog.family import TRACED, Family, Tower
from budgetlint.catalog.module_names import CLIP_FFN, K, ModuleNames, O, Q, V

FAMILY = Family(
    "internvl_vision",
    basis=TRACED,
    tower=Tower(
        names=ModuleNames(
            modules={Q: "attention.q_proj", K: "attention.k_proj", V: "attention.v_proj", O: "attention.projection_layer", **CLIP_FFN},
            norms=("layernorm_before", "layernorm_after"),
            layers="encoder.layer.*",
            embed="",
            final_norm="",
            head="",
        ),
        at="model.vision_tower",
        patch="embeddings.patch_embeddings.projection",
        patch_bias=True,
        class_token=True,
        positions="table",
        square=True,
        half_stream=False,
        decoder="model.language_model",
        scales=("lambda_1", "lambda_2"),
    ),
    always_masked=False,
    eager="own dtype",
    norm="shape",
    normed_stream=False,
)
