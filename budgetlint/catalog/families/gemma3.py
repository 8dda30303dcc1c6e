"""Gemma 3 behind its tower (transformers 5.24.0 models/gemma3/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families._shapes import GEMMA_SHAPE
from budgetlint.catalog.families.gemma2 import FAMILY as GEMMA2
from budgetlint.catalog.families.gemma3_text import FAMILY as GEMMA3_TEXT
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "gemma3",
    like="gemma3_text",
    model_type="gemma3_text",
    classes=("gemma3", "Gemma3RMSNorm", "Gemma3Attention", "Gemma3MLP"),
    config=HubConfig(
        shape={**GEMMA_SHAPE, "norms_per_layer": 4, "qk_norm": "head"}, sizes=GEMMA3_TEXT.config.sizes, reader="hf_families.every_sixth"
    ),
    basis=TRACED,
    tools=Tools(liger=True, wrap_class="", folded_experts=False, fp16_overflows=True),
    names=replace(
        GEMMA2.names,
        layers="model.language_model.layers.*",
        embed="model.language_model.embed_tokens",
        final_norm="model.language_model.norm",
    ),
)
