"""MPT (transformers 5.24.0 models/mpt/)."""

from __future__ import annotations

from budgetlint.catalog.family import SHAPE_ALONE, Family, HubConfig, Tools
from budgetlint.catalog.module_names import DOWN, QKV, UP, ModuleNames, O

FAMILY = Family(
    "mpt",
    config=HubConfig(
        shape={"norm": "layernorm", "glu": False, "activation": "gelu", "position": "alibi", "tied": True},
        sizes={},
        reader="hf_families.one_per_head",
    ),
    basis=SHAPE_ALONE,
    tools=Tools(liger=False, wrap_class="MptBlock", folded_experts=False, fp16_overflows=False),
    names=ModuleNames(
        modules={QKV: "attn.Wqkv", O: "attn.out_proj", UP: "ffn.up_proj", DOWN: "ffn.down_proj"},
        norms=("norm_1", "norm_2"),
        layers="transformer.blocks.*",
        embed="transformer.wte",
        final_norm="transformer.norm_f",
        head="lm_head",
    ),
    attention_bias=("qkv_bias", "o_bias"),
    new_names={},
    experts_are_parameters=False,
    layer="families.pre_norm",
    layer_period=1,
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
    logits_plain_until="4.49",
    caps_logits=False,
    scales_embedding=False,
    probe_keys="",
    probe_no_window=False,
    probe_no_padding=False,
)
