"""Qwen3-VL's and Qwen3.5's vision tower (transformers 5.24.0 models/qwen3_vl/)."""

from __future__ import annotations

from budgetlint.catalog.family import TRACED, Family, Tower
from budgetlint.catalog.module_names import DOWN, QKV, UP, ModuleNames, O

FAMILY = Family(
    "qwen3_vl_vision",
    like="qwen2_5_vl_vision",
    basis=TRACED,
    tower=Tower(
        names=ModuleNames(
            modules={QKV: "attn.qkv", O: "attn.proj", UP: "mlp.linear_fc1", DOWN: "mlp.linear_fc2"},
            norms=("norm1", "norm2"),
            layers="blocks.*",
            embed="",
            final_norm="",
            head="",
        ),
        at="model.visual",
        patch="patch_embed.proj",
        patch_bias=True,
        class_token=False,
        positions="grid",
        square=False,
        half_stream=True,
        decoder="model.language_model",
        largest_pixels=32 * 32 * 16384,
        merger=("linear_fc1", "linear_fc2", "norm"),
    ),
)
