"""GLM-4.7-Flash (transformers 5.24.0 models/glm4_moe_lite/)."""

from __future__ import annotations

from budgetlint.catalog.family import SHAPE_ALONE, Family, Tools

FAMILY = Family(
    "glm4_moe_lite",
    like="deepseek_v3",
    basis=SHAPE_ALONE,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    router="softmax",
)
