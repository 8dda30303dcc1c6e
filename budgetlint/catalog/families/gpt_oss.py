"""gpt-oss (transformers 5.24.0 models/gpt_oss/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families.llama import FAMILY as LLAMA
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools
from budgetlint.catalog.module_names import DOWN, GATE_UP

FAMILY = Family(
    "gpt_oss",
    like="llama",
    classes=("gpt_oss", "GptOssRMSNorm", "GptOssAttention", "GptOssMLP"),
    elsewhere={"torchtitan": "gpt_oss"},
    config=HubConfig(
        shape={"qkv_bias": True, "o_bias": True, "extra": {"router_bias": 1, "expert_bias": 1, "sinks": 1}},
        sizes={
            "hidden": 2880,
            "intermediate": 2880,
            "layers": 36,
            "heads": 64,
            "kv_heads": 8,
            "head_dim": 64,
            "vocab": 201088,
            "max_positions": 131072,
            "experts": 128,
            "experts_per_token": 4,
        },
        reader="hf_families.gpt_oss",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="GptOssDecoderLayer", folded_experts=False, fp16_overflows=False),
    names=replace(LLAMA.names, router="mlp.router", experts={GATE_UP: "mlp.experts.gate_up_proj", DOWN: "mlp.experts.down_proj"}),
    experts_are_parameters=True,  # GptOssExperts
    layer_period=2,
    sdpa=False,  # _supports_sdpa = False
    eager="sinks",
    norm="rms-wide",  # GptOssRMSNorm: the product with the weight is fp32
    router="softmax of the chosen",
    expert_product="clamped",
)
