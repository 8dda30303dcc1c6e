"""Qwen3-Next (transformers 5.24.0 models/qwen3_next/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families.llama import FAMILY as LLAMA
from budgetlint.catalog.family import Basis, Family, HubConfig, Tools

FAMILY = Family(
    "qwen3_next",
    like="llama",
    classes=("qwen3_next", "Qwen3NextRMSNorm", "Qwen3NextAttention", "Qwen3NextMLP"),
    config=HubConfig(
        shape={"qk_norm": "head", "shared_experts": 1, "extra": {"shared_gate": 1}},
        sizes={
            "hidden": 2048,
            "intermediate": 5632,
            "layers": 48,
            "heads": 16,
            "kv_heads": 2,
            "head_dim": 256,
            "vocab": 151936,
            "max_positions": 32768,
            "experts": 512,
            "experts_per_token": 10,
            "moe_intermediate": 512,
            "shared_intermediate": 512,
        },
        reader="hf_families.hybrid",
    ),
    basis=Basis(300_000, "linear attention, read from its code with the kernels of flash-linear-attention, not traced", exact=False),
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    names=replace(LLAMA.names, shared="mlp.shared_expert"),
    one_delta_input=True,
    norm="rms-wide",
)
