"""OLMo 3 (transformers 5.24.0 models/olmo3/)."""

from __future__ import annotations

from budgetlint.catalog.families.olmo import FAMILY as OLMO
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "olmo3",
    like="olmo2",
    classes=("olmo3", "Olmo3RMSNorm", "Olmo3Attention", "Olmo3MLP"),
    config=HubConfig(shape={"qk_norm": "full"}, sizes=OLMO.config.sizes, reader="hf_families.every_fourth"),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    layer_period=4,
)
