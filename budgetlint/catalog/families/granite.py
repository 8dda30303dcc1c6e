"""Granite (transformers 5.24.0 models/granite/)."""

from __future__ import annotations

from budgetlint.catalog.families.llama import FAMILY as LLAMA
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "granite",
    like="llama",
    classes=("granite", "GraniteRMSNorm", "GraniteAttention", "GraniteMLP"),
    config=HubConfig(shape={}, sizes=LLAMA.config.sizes),
    basis=TRACED,
    tools=Tools(liger=True, wrap_class="GraniteDecoderLayer", folded_experts=False, fp16_overflows=False, liger_head=False),
    scales_embedding=True,  # embedding_multiplier
)
