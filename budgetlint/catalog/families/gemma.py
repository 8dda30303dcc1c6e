"""Gemma (transformers 5.24.0 models/gemma/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import GEMMA_SHAPE
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "gemma",
    like="llama",
    classes=("gemma", "GemmaRMSNorm", "GemmaAttention", "GemmaMLP"),
    elsewhere={"torchtune": "gemma"},
    config=HubConfig(
        shape=GEMMA_SHAPE,
        sizes={
            "hidden": 3072,
            "intermediate": 24576,
            "layers": 28,
            "heads": 16,
            "kv_heads": 16,
            "head_dim": 256,
            "vocab": 256000,
            "max_positions": 8192,
        },
    ),
    basis=TRACED,
    tools=Tools(liger=True, wrap_class="GemmaDecoderLayer", folded_experts=False, fp16_overflows=True),
    norm="rms-wide",  # GemmaRMSNorm: (1 + weight) times the fp32 product
)
