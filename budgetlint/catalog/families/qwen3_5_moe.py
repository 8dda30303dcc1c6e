"""Qwen3.5-MoE (transformers 5.24.0 models/qwen3_5_moe/)."""

from __future__ import annotations

from budgetlint.catalog.family import Basis, Family, HubConfig, Tools

FAMILY = Family(
    "qwen3_5_moe",
    like="qwen3_5",
    classes=("qwen3_5_moe", "Qwen3_5MoeRMSNorm", "Qwen3_5MoeAttention", "Qwen3_5MoeMLP"),
    config=HubConfig(
        shape={"qk_norm": "head", "shared_experts": 1, "extra": {"shared_gate": 1}},
        sizes={
            "hidden": 2048,
            "layers": 40,
            "heads": 16,
            "kv_heads": 2,
            "head_dim": 256,
            "vocab": 248320,
            "max_positions": 32768,
            "experts": 256,
            "experts_per_token": 8,
            "moe_intermediate": 512,
            "shared_intermediate": 512,
        },
        reader="hf_families.hybrid",
    ),
    basis=Basis(300_000, "linear attention, read from its code with the kernels of flash-linear-attention, not traced", exact=False),
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
)
