"""Qwen2.5-VL's vision tower (transformers 5.24.0 models/qwen2_5_vl/)."""

from __future__ import annotations

from budgetlint.catalog.family import TRACED, Family, Tower
from budgetlint.catalog.module_names import GLU, QKV, ModuleNames, O

FAMILY = Family(
    "qwen2_5_vl_vision",
    like="qwen2_vl_vision",
    basis=TRACED,
    tower=Tower(
        names=ModuleNames(
            modules={QKV: "attn.qkv", O: "attn.proj", **GLU}, norms=("norm1", "norm2"), layers="blocks.*", embed="", final_norm="", head=""
        ),
        at="model.visual",
        patch="patch_embed.proj",
        patch_bias=False,
        class_token=False,
        positions="rope",
        square=False,
        half_stream=True,
        decoder="model.language_model",
        largest_pixels=28 * 28 * 16384,
        merger=("mlp.0", "mlp.2", "ln_q"),
    ),
)
