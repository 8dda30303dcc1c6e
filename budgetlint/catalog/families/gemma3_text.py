"""Gemma 3 without a tower (transformers 5.24.0 models/gemma3/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import GEMMA_SHAPE
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "gemma3_text",
    like="gemma2",
    classes=("gemma3", "Gemma3RMSNorm", "Gemma3Attention", "Gemma3MLP"),
    config=HubConfig(
        shape={**GEMMA_SHAPE, "norms_per_layer": 4, "qk_norm": "head"},
        sizes={
            "hidden": 2304,
            "intermediate": 9216,
            "layers": 26,
            "heads": 8,
            "kv_heads": 4,
            "head_dim": 256,
            "vocab": 262208,
            "max_positions": 131072,
        },
        reader="hf_families.every_sixth",
    ),
    basis=TRACED,
    tools=Tools(liger=True, wrap_class="", folded_experts=False, fp16_overflows=True),
    layer_period=6,
    sdpa=True,  # unlike Gemma 2
    eager="fp32",
    caps_logits=False,
)
