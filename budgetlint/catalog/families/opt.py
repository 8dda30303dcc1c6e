"""OPT (transformers 5.24.0 models/opt/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import GELU_SHAPE
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools
from budgetlint.catalog.module_names import ATTENTION, FFN, ModuleNames, O

FAMILY = Family(
    "opt",
    classes=("opt", "", "OPTAttention", ""),
    config=HubConfig(
        shape={**GELU_SHAPE, "activation": "relu", "position": "learned", "tied": True, "dropout": 0.1, "extra": {"position_offset": 2}},
        sizes={"hidden": 768, "intermediate": 3072, "layers": 12, "heads": 12, "vocab": 50272, "max_positions": 2048},
        reader="hf_families.opt",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="OPTDecoderLayer", folded_experts=False, fp16_overflows=False),
    names=ModuleNames(
        modules={**ATTENTION, O: "self_attn.out_proj", **FFN},
        norms=("self_attn_layer_norm", "final_layer_norm"),
        layers="model.decoder.layers.*",
        embed="model.decoder.embed_tokens",
        positions="model.decoder.embed_positions",
        final_norm="model.decoder.final_layer_norm",
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
    probe_keys="family_keys.opt",
    probe_no_window=False,
    probe_no_padding=True,
)
