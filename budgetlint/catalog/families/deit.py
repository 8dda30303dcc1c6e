"""DeiT (transformers 5.24.0 models/deit/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import GELU_SHAPE
from budgetlint.catalog.families.vit import FAMILY as VIT
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools, VisionEncoder

FAMILY = Family(
    "deit",
    like="vit",
    classes=("deit", "", "DeiTAttention", "DeiTMLP"),
    config=HubConfig(
        shape={**GELU_SHAPE, "kind": "vision", "activation": "gelu", "position": "learned"},
        sizes=VIT.config.sizes,
        reader="hf_encoders.vit",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    vision=VisionEncoder(tokens=2, class_token="embeddings.cls_token", patch_bias=True, front_norm=""),
)
