"""GLM-4 as transformers has it (transformers 5.24.0 models/glm/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families.llama import FAMILY as LLAMA
from budgetlint.catalog.family import Family, HubConfig, Tools, nearest
from budgetlint.catalog.module_names import ATTENTION, DOWN, GATE_UP

FAMILY = Family(
    "glm",
    like="llama",
    config=HubConfig(
        shape={"qkv_bias": True},
        sizes={
            "hidden": 4096,
            "intermediate": 13696,
            "layers": 40,
            "heads": 32,
            "kv_heads": 2,
            "head_dim": 128,
            "vocab": 151552,
            "max_positions": 131072,
        },
    ),
    basis=nearest("Llama", 120_000),
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    names=replace(LLAMA.names, modules={**ATTENTION, GATE_UP: "mlp.gate_up_proj", DOWN: "mlp.down_proj"}, experts={}),
    attention_bias=("qkv_bias",),  # o_proj has none
)
