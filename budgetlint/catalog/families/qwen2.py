"""Qwen2 and Qwen2.5 (transformers 5.24.0 models/qwen2/)."""

from __future__ import annotations

from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "qwen2",
    like="llama",
    classes=("qwen2", "Qwen2RMSNorm", "Qwen2Attention", "Qwen2MLP"),
    elsewhere={"torchtune": "plain"},
    config=HubConfig(
        shape={"qkv_bias": True},
        sizes={"hidden": 4096, "intermediate": 22016, "layers": 32, "heads": 32, "kv_heads": 32, "vocab": 151936, "max_positions": 32768},
    ),
    basis=TRACED,
    tools=Tools(liger=True, wrap_class="Qwen2DecoderLayer", folded_experts=False, fp16_overflows=False),
    repeats_for_flash=True,
)
