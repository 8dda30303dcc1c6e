"""OLMo (transformers 5.24.0 models/olmo/)."""

from __future__ import annotations

from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "olmo",
    like="llama",
    classes=("olmo", "OlmoLayerNorm", "OlmoAttention", "OlmoMLP"),
    config=HubConfig(
        shape={"norm": "layernorm-noaffine", "norms_per_layer": 0},
        sizes={"hidden": 4096, "intermediate": 11008, "layers": 32, "heads": 32, "vocab": 50304, "max_positions": 2048},
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    rotates_as_given=True,
)
