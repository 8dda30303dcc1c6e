"""BLOOM (transformers 5.24.0 models/bloom/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import GELU_SHAPE
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools
from budgetlint.catalog.module_names import DOWN, QKV, UP, ModuleNames, O

FAMILY = Family(
    "bloom",
    classes=("bloom", "", "BloomAttention", "BloomMLP"),
    config=HubConfig(
        shape={**GELU_SHAPE, "activation": "gelu", "position": "alibi", "tied": True, "extra": {"embed_norm": 1}},
        sizes={"hidden": 64, "layers": 2, "heads": 8, "vocab": 250880},
        reader="hf_families.one_per_head",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="BloomBlock", folded_experts=False, fp16_overflows=False),
    names=ModuleNames(
        modules={QKV: "self_attention.query_key_value", O: "self_attention.dense", UP: "mlp.dense_h_to_4h", DOWN: "mlp.dense_4h_to_h"},
        norms=("input_layernorm", "post_attention_layernorm"),
        layers="transformer.h.*",
        embed="transformer.word_embeddings",
        embed_norm="transformer.word_embeddings_layernorm",
        final_norm="transformer.ln_f",
        head="lm_head",
    ),
    attention_bias=("qkv_bias", "o_bias"),
    new_names={},
    experts_are_parameters=False,
    layer="families.pre_norm",
    layer_period=1,
    sdpa=False,  # _supports_sdpa = False
    position_bias=False,
    always_masked=False,
    repeats_for_flash=False,
    eager="fp32",
    drops_scores=True,
    norm="shape",
    normed_stream=False,
    rotates_as_given=False,
    packed_heads=False,
    logits_plain_until="4.49",
    caps_logits=False,
    scales_embedding=False,
    probe_keys="",
    probe_no_window=False,
    probe_no_padding=False,
)
