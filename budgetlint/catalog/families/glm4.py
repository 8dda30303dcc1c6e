"""GLM-4-0414 (transformers 5.24.0 models/glm4/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families.glm import FAMILY as GLM
from budgetlint.catalog.family import SHAPE_ALONE, Family, HubConfig, Tools

FAMILY = Family(
    "glm4",
    like="glm",
    config=HubConfig(shape={"qkv_bias": True, "norms_per_layer": 4}, sizes=GLM.config.sizes),
    basis=SHAPE_ALONE,
    tools=Tools(liger=True, wrap_class="", folded_experts=False, fp16_overflows=False),
    names=replace(GLM.names, norms=("input_layernorm", "post_attention_layernorm", "post_self_attn_layernorm", "post_mlp_layernorm")),
)
