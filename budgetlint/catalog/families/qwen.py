"""Qwen 1 (remote code of the checkpoints)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families.llama import FAMILY as LLAMA
from budgetlint.catalog.family import Family, HubConfig, Tools, nearest
from budgetlint.catalog.module_names import DOWN, GATE, QKV, UP, O

FAMILY = Family(
    "qwen",
    like="llama",
    config=HubConfig(shape={"qkv_bias": True}, sizes={}, reader="hf_families.qwen"),
    basis=nearest("Llama", 120_000),
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    names=replace(
        LLAMA.names,
        modules={QKV: "attn.c_attn", O: "attn.c_proj", GATE: "mlp.w2", UP: "mlp.w1", DOWN: "mlp.c_proj"},
        norms=("ln_1", "ln_2"),
        layers="transformer.h.*",
        embed="transformer.wte",
        final_norm="transformer.ln_f",
        experts={},
    ),
)
