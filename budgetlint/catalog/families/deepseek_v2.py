"""DeepSeek-V2 (transformers 5.24.0 models/deepseek_v2/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families.llama import FAMILY as LLAMA
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools
from budgetlint.catalog.module_names import GLU, O, Q

FAMILY = Family(
    "deepseek_v2",
    like="llama",
    classes=("deepseek_v2", "DeepseekV2RMSNorm", "DeepseekV2Attention", "DeepseekV2MLP"),
    config=HubConfig(
        shape={},
        sizes={
            "hidden": 4096,
            "intermediate": 11008,
            "layers": 32,
            "heads": 32,
            "vocab": 102400,
            "max_positions": 2048,
            "experts": 64,
            "moe_intermediate": 1407,
            "shared_experts": 2,
            "first_dense_layers": 0,
        },
        reader="hf_families.deepseek",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=True, fp16_overflows=False),
    names=replace(
        LLAMA.names,
        modules={
            "q_a_proj": "self_attn.q_a_proj",
            "q_b_proj": "self_attn.q_b_proj",
            Q: "self_attn.q_proj",
            "kv_a_proj": "self_attn.kv_a_proj_with_mqa",
            "kv_b_proj": "self_attn.kv_b_proj",
            O: "self_attn.o_proj",
            **GLU,
        },
    ),
    rotates_as_given=True,
    router="softmax of fp32",
)
