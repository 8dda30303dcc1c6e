"""Baichuan (remote code of the checkpoints)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families.llama import FAMILY as LLAMA
from budgetlint.catalog.family import Family, HubConfig, Tools, nearest
from budgetlint.catalog.module_names import GLU, QKV, O

FAMILY = Family(
    "baichuan",
    like="llama",
    config=HubConfig(shape={}, sizes={}),
    basis=nearest("Llama", 120_000),
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    names=replace(LLAMA.names, modules={QKV: "self_attn.W_pack", O: "self_attn.o_proj", **GLU}, experts={}),
)
