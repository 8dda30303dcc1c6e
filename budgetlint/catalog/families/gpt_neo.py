"""GPT-Neo (transformers 5.24.0 models/gpt_neo/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import LAYERNORM_SHAPE
from budgetlint.catalog.family import SHAPE_ALONE, Family, HubConfig, Tools
from budgetlint.catalog.module_names import DOWN, UP, K, ModuleNames, O, Q, V

FAMILY = Family(
    "gpt_neo",
    config=HubConfig(
        shape={
            **LAYERNORM_SHAPE,
            "glu": False,
            "activation": "gelu_new",
            "o_bias": True,
            "mlp_bias": True,
            "position": "learned",
            "tied": True,
        },
        sizes={},
        reader="hf_families.gpt_neo",
    ),
    basis=SHAPE_ALONE,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    names=ModuleNames(
        modules={
            Q: "attn.attention.q_proj",
            K: "attn.attention.k_proj",
            V: "attn.attention.v_proj",
            O: "attn.attention.out_proj",
            UP: "mlp.c_fc",
            DOWN: "mlp.c_proj",
        },
        norms=("ln_1", "ln_2"),
        layers="transformer.h.*",
        embed="transformer.wte",
        positions="transformer.wpe",
        final_norm="transformer.ln_f",
        head="lm_head",
    ),
    attention_bias=("qkv_bias", "o_bias"),
    new_names={},
    experts_are_parameters=False,
    layer="families.pre_norm",
    layer_period=2,
    sdpa=True,
    position_bias=False,
    always_masked=False,
    repeats_for_flash=False,
    eager="fp32",
    drops_scores=False,
    norm="shape",
    normed_stream=False,
    rotates_as_given=False,
    packed_heads=False,
    logits_plain_until="",
    caps_logits=False,
    scales_embedding=False,
    probe_keys="family_keys.gpt_neo",
    probe_no_window=False,
    probe_no_padding=False,
)
