"""Phi-1 to Phi-2 (transformers 5.24.0 models/phi/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families._shapes import GELU_SHAPE
from budgetlint.catalog.families.llama import FAMILY as LLAMA
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools
from budgetlint.catalog.module_names import ATTENTION, CLIP_FFN, O

FAMILY = Family(
    "phi",
    like="llama",
    classes=("phi", "", "PhiAttention", "PhiMLP"),
    config=HubConfig(
        shape={**GELU_SHAPE, "activation": "gelu_new", "norms_per_layer": 1, "lm_head_bias": True, "extra": {"parallel_block": 1}},
        sizes={"hidden": 2048, "intermediate": 8192, "layers": 24, "heads": 32, "vocab": 51200, "max_positions": 2048},
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="PhiDecoderLayer", folded_experts=False, fp16_overflows=False),
    names=replace(
        LLAMA.names,
        modules={**ATTENTION, O: "self_attn.dense", **CLIP_FFN},
        norms=("input_layernorm",),
        final_norm="model.final_layernorm",
        experts={},
    ),
    layer="families.parallel",
)
