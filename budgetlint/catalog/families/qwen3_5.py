"""Qwen3.5 (transformers 5.24.0 models/qwen3_5/)."""

from __future__ import annotations

from budgetlint.catalog.family import Basis, Family, HubConfig, Tools

FAMILY = Family(
    "qwen3_5",
    like="qwen3_next",
    classes=("qwen3_5", "Qwen3_5RMSNorm", "Qwen3_5Attention", "Qwen3_5MLP"),
    config=HubConfig(
        shape={"qk_norm": "head"},
        sizes={
            "hidden": 4096,
            "intermediate": 12288,
            "layers": 32,
            "heads": 16,
            "kv_heads": 4,
            "head_dim": 256,
            "vocab": 248320,
            "max_positions": 32768,
        },
        reader="hf_families.hybrid",
    ),
    basis=Basis(300_000, "linear attention, read from its code with the kernels of flash-linear-attention, not traced", exact=False),
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    one_delta_input=False,
)
