"""Pixtral's vision tower (transformers 5.24.0 models/pixtral/)."""

from __future__ import annotations

from budgetlint.catalog.family import TRACED, Family, Tower
from budgetlint.catalog.module_names import DOWN, GATE, UP, K, ModuleNames, O, Q, V

FAMILY = Family(
    "pixtral_vision",
    basis=TRACED,
    tower=Tower(
        names=ModuleNames(
            modules={
                Q: "attention.q_proj",
                K: "attention.k_proj",
                V: "attention.v_proj",
                O: "attention.o_proj",
                GATE: "feed_forward.gate_proj",
                UP: "feed_forward.up_proj",
                DOWN: "feed_forward.down_proj",
            },
            norms=("attention_norm", "ffn_norm"),
            layers="transformer.layers.*",
            embed="",
            final_norm="",
            head="",
        ),
        at="model.vision_tower",
        patch="patch_conv",
        patch_bias=False,
        class_token=False,
        positions="rope",
        square=False,
        half_stream=False,
        decoder="model.language_model",
        front="ln_pre",
    ),
    always_masked=False,
    eager="fp32",
    norm="shape",
    normed_stream=False,
)
