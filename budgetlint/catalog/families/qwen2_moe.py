"""Qwen1.5-MoE and Qwen2-MoE (transformers 5.24.0 models/qwen2_moe/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families.llama import FAMILY as LLAMA
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "qwen2_moe",
    like="qwen2",
    classes=("qwen2_moe", "Qwen2MoeRMSNorm", "Qwen2MoeAttention", "Qwen2MoeMLP"),
    config=HubConfig(
        shape={"qkv_bias": True, "shared_experts": 1, "extra": {"shared_gate": 1}},
        sizes={
            "hidden": 2048,
            "intermediate": 5632,
            "layers": 24,
            "heads": 16,
            "kv_heads": 16,
            "vocab": 151936,
            "max_positions": 32768,
            "experts": 60,
            "experts_per_token": 4,
            "moe_intermediate": 1408,
            "shared_intermediate": 5632,
        },
        reader="hf_families.mixture",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="Qwen2MoeDecoderLayer", folded_experts=False, fp16_overflows=False),
    names=replace(LLAMA.names, shared="mlp.shared_expert"),
    router="softmax undivided",
)
