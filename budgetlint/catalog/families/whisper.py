"""Whisper (transformers 5.24.0 models/whisper/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import GELU_SHAPE
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools
from budgetlint.catalog.module_names import ATTENTION, FFN, ModuleNames, O

FAMILY = Family(
    "whisper",
    classes=("whisper", "", "WhisperAttention", ""),
    config=HubConfig(
        shape={**GELU_SHAPE, "kind": "speech", "activation": "gelu", "position": "learned", "tied": True},
        sizes={"hidden": 384, "intermediate": 1536, "layers": 4, "heads": 6, "vocab": 51865, "max_positions": 448},
        reader="hf_encoders.whisper",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    names=ModuleNames(
        modules={**ATTENTION, O: "self_attn.out_proj", **FFN},
        norms=("self_attn_layer_norm", "final_layer_norm"),
        layers="model.encoder.layers.*",
        decoder="model.decoder.layers.*",
        embed="model.decoder.embed_tokens",
        positions="model.decoder.embed_positions",
        final_norm="model.encoder.layer_norm",
        head="proj_out",
    ),
    attention_bias=("qkv_bias", "o_bias"),
    new_names={},
    experts_are_parameters=False,
    layer="seq2seq.whisper",
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
    normed_stream=False,
    rotates_as_given=False,
    packed_heads=False,
    logits_plain_until="",
    caps_logits=False,
    scales_embedding=False,
    probe_keys="",
    probe_no_window=False,
    probe_no_padding=False,
)
