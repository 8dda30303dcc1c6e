"""InternLM2 (remote code of the checkpoints)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families.llama import FAMILY as LLAMA
from budgetlint.catalog.family import Family, HubConfig, Tools, nearest
from budgetlint.catalog.module_names import DOWN, GATE, QKV, UP, O

FAMILY = Family(
    "internlm2",
    like="llama",
    config=HubConfig(shape={}, sizes={}),
    basis=nearest("Llama", 120_000),
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    names=replace(
        LLAMA.names,
        modules={QKV: "attention.wqkv", O: "attention.wo", GATE: "feed_forward.w1", UP: "feed_forward.w3", DOWN: "feed_forward.w2"},
        norms=("attention_norm", "ffn_norm"),
        embed="model.tok_embeddings",
        head="output",
        experts={},
    ),
)
