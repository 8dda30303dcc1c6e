"""Falcon (transformers 5.24.0 models/falcon/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import LAYERNORM_SHAPE
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools
from budgetlint.catalog.module_names import DOWN, QKV, UP, ModuleNames, O

FAMILY = Family(
    "falcon",
    classes=("falcon", "", "FalconAttention", "FalconMLP"),
    config=HubConfig(
        shape={**LAYERNORM_SHAPE, "glu": False, "activation": "gelu", "tied": True, "extra": {"parallel_block": 1}},
        sizes={"hidden": 4544, "layers": 32, "heads": 71, "vocab": 65024, "max_positions": 2048},
        reader="hf_families.falcon",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="FalconDecoderLayer", folded_experts=False, fp16_overflows=False),
    names=ModuleNames(
        modules={QKV: "self_attention.query_key_value", O: "self_attention.dense", UP: "mlp.dense_h_to_4h", DOWN: "mlp.dense_4h_to_h"},
        norms=("ln_attn", "ln_mlp"),
        lone_norm="input_layernorm",
        layers="transformer.h.*",
        embed="transformer.word_embeddings",
        final_norm="transformer.ln_f",
        head="lm_head",
    ),
    attention_bias=("qkv_bias", "o_bias"),
    new_names={},
    experts_are_parameters=False,
    layer="families.falcon",
    layer_period=1,
    sdpa=True,
    position_bias=False,
    always_masked=True,  # modeling_falcon.py: allow_is_causal_skip=False
    repeats_for_flash=False,
    eager="falcon",
    drops_scores=False,
    norm="shape",
    normed_stream=False,
    rotates_as_given=False,
    packed_heads=True,  # _split_heads
    logits_plain_until="4.49",
    caps_logits=False,
    scales_embedding=False,
    probe_keys="family_keys.falcon",
    probe_no_window=False,
    probe_no_padding=False,
)
