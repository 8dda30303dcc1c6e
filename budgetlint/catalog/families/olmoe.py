"""OLMoE (transformers 5.24.0 models/olmoe/)."""

from __future__ import annotations

from budgetlint.catalog.family import SHAPE_ALONE, Family, HubConfig, Tools

FAMILY = Family(
    "olmoe",
    like="llama",
    config=HubConfig(shape={"qk_norm": "full"}, sizes={}, reader="hf_families.mixtral"),
    basis=SHAPE_ALONE,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
)
