"""Gemma 2 (transformers 5.24.0 models/gemma2/)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families._shapes import GEMMA_SHAPE
from budgetlint.catalog.families.llama import FAMILY as LLAMA
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools

FAMILY = Family(
    "gemma2",
    like="gemma",
    classes=("gemma2", "Gemma2RMSNorm", "Gemma2Attention", "Gemma2MLP"),
    elsewhere={"torchtune": "gemma2"},
    config=HubConfig(
        shape={**GEMMA_SHAPE, "norms_per_layer": 4},
        sizes={
            "hidden": 2304,
            "intermediate": 9216,
            "layers": 26,
            "heads": 8,
            "kv_heads": 4,
            "head_dim": 256,
            "vocab": 256000,
            "max_positions": 8192,
        },
        reader="hf_families.every_second",
    ),
    basis=TRACED,
    tools=Tools(liger=True, wrap_class="Gemma2DecoderLayer", folded_experts=False, fp16_overflows=True),
    names=replace(
        LLAMA.names, norms=("input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm")
    ),
    layer_period=2,
    sdpa=False,  # eager by its configuration
    eager="capped",  # the tanh of attn_logit_softcapping beside the softmax
    caps_logits=True,  # final_logit_softcapping
)
