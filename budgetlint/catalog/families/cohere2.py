"""Command-R7B and Command-A (transformers 5.24.0 models/cohere2/)."""

from __future__ import annotations

from budgetlint.catalog.families.cohere import FAMILY as COHERE
from budgetlint.catalog.family import SHAPE_ALONE, Family, HubConfig, Tools

FAMILY = Family(
    "cohere2",
    like="cohere",
    config=HubConfig(
        shape={"norm": "layernorm", "norms_per_layer": 1, "tied": True, "extra": {"parallel_block": 1}},
        sizes=COHERE.config.sizes,
        reader="hf_families.every_fourth",
    ),
    basis=SHAPE_ALONE,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    layer="families.pre_norm",
    layer_period=4,
    norm="shape",
    rotates_as_given=False,
)
