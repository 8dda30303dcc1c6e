"""GPT-NeoX and Pythia (transformers 5.24.0 models/gpt_neox/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import GELU_SHAPE
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools
from budgetlint.catalog.module_names import DOWN, QKV, UP, ModuleNames, O

FAMILY = Family(
    "gpt_neox",
    classes=("gpt_neox", "", "GPTNeoXAttention", "GPTNeoXMLP"),
    config=HubConfig(
        shape={**GELU_SHAPE, "activation": "gelu", "extra": {"parallel_block": 1}},
        sizes={"hidden": 6144, "intermediate": 24576, "layers": 44, "heads": 64, "vocab": 50432, "max_positions": 2048},
        reader="hf_families.gpt_neox",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="GPTNeoXLayer", folded_experts=False, fp16_overflows=False),
    names=ModuleNames(
        modules={QKV: "attention.query_key_value", O: "attention.dense", UP: "mlp.dense_h_to_4h", DOWN: "mlp.dense_4h_to_h"},
        norms=("input_layernorm", "post_attention_layernorm"),
        layers="gpt_neox.layers.*",
        embed="gpt_neox.embed_in",
        positions="model.embed_positions",
        final_norm="gpt_neox.final_layer_norm",
        head="embed_out",
    ),
    attention_bias=("qkv_bias", "o_bias"),
    new_names={},
    experts_are_parameters=False,
    layer="families.gpt_neox",
    layer_period=1,
    sdpa=True,
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
    probe_keys="family_keys.gpt_neox",
    probe_no_window=False,
    probe_no_padding=False,
)
