"""Mixtral (transformers 5.24.0 models/mixtral/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families.llama import FAMILY as LLAMA
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools
from budgetlint.catalog.module_names import DOWN, GATE, UP

FAMILY = Family(
    "mixtral",
    like="llama",
    classes=("mixtral", "MixtralRMSNorm", "MixtralAttention", ""),
    config=HubConfig(
        shape={},
        sizes={
            "hidden": 4096,
            "intermediate": 14336,
            "layers": 32,
            "heads": 32,
            "kv_heads": 8,
            "vocab": 32000,
            "max_positions": 131072,
            "experts": 8,
            "experts_per_token": 2,
        },
        reader="hf_families.mixtral",
    ),
    basis=TRACED,
    tools=Tools(liger=True, wrap_class="MixtralDecoderLayer", folded_experts=True, fp16_overflows=False),
    names=replace(
        LLAMA.names,
        router="block_sparse_moe.gate",
        experts={GATE: "block_sparse_moe.experts.*.w1", UP: "block_sparse_moe.experts.*.w3", DOWN: "block_sparse_moe.experts.*.w2"},
    ),
    repeats_for_flash=True,
)
