"""Qwen3-MoE (transformers 5.24.0 models/qwen3_moe/)."""

from __future__ import annotations

from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "qwen3_moe",
    like="qwen3",
    classes=("qwen3_moe", "Qwen3MoeRMSNorm", "Qwen3MoeAttention", "Qwen3MoeMLP"),
    elsewhere={"torchtitan": "qwen3"},
    config=HubConfig(
        shape={"qk_norm": "head"},
        sizes={
            "hidden": 2048,
            "intermediate": 6144,
            "layers": 24,
            "heads": 32,
            "kv_heads": 4,
            "vocab": 151936,
            "max_positions": 32768,
            "experts": 128,
            "experts_per_token": 8,
            "moe_intermediate": 768,
        },
        reader="hf_families.mixture",
    ),
    basis=TRACED,
    tools=Tools(liger=True, wrap_class="Qwen3MoeDecoderLayer", folded_experts=True, fp16_overflows=False),
    router="softmax cast back",
)
