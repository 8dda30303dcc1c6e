"""Seed-OSS (transformers 5.24.0 models/seed_oss/)."""

from __future__ import annotations

from budgetlint.catalog.family import SHAPE_ALONE, Family, HubConfig, Tools

FAMILY = Family(
    "seed_oss",
    like="llama",
    config=HubConfig(shape={"qkv_bias": True, "dropout": 0.1}, sizes={}),
    basis=SHAPE_ALONE,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    attention_bias=("qkv_bias",),  # o_proj has a key of its own
)
