"""Command-R (transformers 5.24.0 models/cohere/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families.llama import FAMILY as LLAMA
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "cohere",
    like="llama",
    classes=("cohere", "CohereLayerNorm", "CohereAttention", "CohereMLP"),
    config=HubConfig(
        shape={"norm": "layernorm", "norms_per_layer": 1, "tied": True, "extra": {"parallel_block": 1}},
        sizes={"hidden": 8192, "intermediate": 22528, "layers": 40, "heads": 64, "vocab": 256000, "max_positions": 8192},
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="CohereDecoderLayer", folded_experts=False, fp16_overflows=False),
    names=replace(LLAMA.names, norms=("input_layernorm",)),
    layer="families.parallel",
    norm="cohere",
    rotates_as_given=True,
)
