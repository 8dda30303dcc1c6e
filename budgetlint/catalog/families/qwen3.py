"""Qwen3 (transformers 5.24.0 models/qwen3/)."""

from __future__ import annotations

from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "qwen3",
    like="llama",
    classes=("qwen3", "Qwen3RMSNorm", "Qwen3Attention", "Qwen3MLP"),
    elsewhere={"torchtitan": "qwen3"},
    config=HubConfig(
        shape={"qk_norm": "head"},
        sizes={
            "hidden": 4096,
            "intermediate": 22016,
            "layers": 32,
            "heads": 32,
            "kv_heads": 32,
            "head_dim": 128,
            "vocab": 151936,
            "max_positions": 32768,
        },
    ),
    basis=TRACED,
    tools=Tools(liger=True, wrap_class="Qwen3DecoderLayer", folded_experts=False, fp16_overflows=False),
)
