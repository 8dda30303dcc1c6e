"""DINOv2 (transformers 5.24.0 models/dinov2/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families._shapes import GELU_SHAPE
from budgetlint.catalog.families.vit import FAMILY as VIT
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools, VisionEncoder
from budgetlint.catalog.module_names import CLIP_FFN

FAMILY = Family(
    "dinov2",
    like="vit",
    classes=("dinov2", "", "Dinov2Attention", "Dinov2MLP"),
    config=HubConfig(
        shape={**GELU_SHAPE, "kind": "vision", "activation": "gelu", "position": "learned"},
        sizes=VIT.config.sizes,
        reader="hf_encoders.dinov2",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    names=replace(VIT.names, modules={**VIT.names.modules, **CLIP_FFN}, norms=("norm1", "norm2")),
    vision=VisionEncoder(tokens=1, class_token="embeddings.cls_token", patch_bias=True, front_norm=""),
    new_names={"q_proj": "query", "k_proj": "key", "v_proj": "value", "o_proj": "attention.output.dense"},
    layer="encoders.dinov2",
    eager="own dtype",
    drops_scores=False,
)
