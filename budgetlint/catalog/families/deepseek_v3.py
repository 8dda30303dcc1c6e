"""DeepSeek-V3 (transformers 5.24.0 models/deepseek_v3/)."""

from __future__ import annotations

from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "deepseek_v3",
    like="deepseek_v2",
    classes=("deepseek_v3", "DeepseekV3RMSNorm", "DeepseekV3Attention", "DeepseekV3MLP"),
    elsewhere={"torchtitan": "deepseek_v3"},
    config=HubConfig(
        shape={},
        sizes={
            "hidden": 7168,
            "intermediate": 18432,
            "layers": 61,
            "heads": 128,
            "vocab": 129280,
            "max_positions": 4096,
            "experts": 256,
            "experts_per_token": 8,
            "moe_intermediate": 2048,
            "shared_experts": 1,
            "first_dense_layers": 3,
        },
        reader="hf_families.deepseek",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="DeepseekV3DecoderLayer", folded_experts=True, fp16_overflows=False),
    rotates_as_given=False,
    router="sigmoid",
)
