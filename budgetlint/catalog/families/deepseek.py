"""DeepSeek-MoE (remote code of the checkpoints)."""

from __future__ import annotations

from budgetlint.catalog.family import Family, HubConfig, Tools, nearest

FAMILY = Family(
    "deepseek",
    like="llama",
    config=HubConfig(shape={}, sizes={}),
    basis=nearest("a mixture with fp32 router probabilities", 150_000),
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
)
