"""BART (transformers 5.24.0 models/bart/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import BART_SHAPE
from budgetlint.catalog.family import TRACED, Family, HubConfig, Stacks, Tools
from budgetlint.catalog.module_names import ATTENTION, FFN, ModuleNames, O

FAMILY = Family(
    "bart",
    classes=("bart", "", "BartAttention", ""),
    config=HubConfig(
        shape=BART_SHAPE,
        sizes={"hidden": 1024, "intermediate": 4096, "layers": 12, "heads": 16, "vocab": 50265, "max_positions": 1024},
        reader="hf_encoders.bart",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    names=ModuleNames(
        modules={**ATTENTION, O: "self_attn.out_proj", **FFN},
        norms=("self_attn_layer_norm", "final_layer_norm"),
        layers="model.encoder.layers.*",
        decoder="model.decoder.layers.*",
        embed="model.shared",
        positions="model.encoder.embed_positions",
        final_norm="",
        head="lm_head",
    ),
    stacks=Stacks("bart", embed_norm=True, last_norm=False),
    attention_bias=("qkv_bias", "o_bias"),
    new_names={},
    experts_are_parameters=False,
    layer="seq2seq.bart",
    layer_period=1,
    sdpa=True,
    position_bias=False,
    always_masked=False,
    repeats_for_flash=False,
    eager="fp32",
    drops_scores=False,
    one_dropout_rate=False,  # attention_dropout
    casts_before_down=False,
    norm="shape",
    normed_stream=True,  # modeling_bart.py layernorm_embedding, and norms behind the sums
    rotates_as_given=False,
    packed_heads=False,
    logits_plain_until="",
    caps_logits=False,
    scales_embedding=False,
    probe_keys="",
    probe_no_window=False,
    probe_no_padding=False,
)
