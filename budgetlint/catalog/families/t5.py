"""T5 (transformers 5.24.0 models/t5/)."""

from __future__ import annotations

from budgetlint.catalog.family import TRACED, Family, HubConfig, Stacks, Tools
from budgetlint.catalog.module_names import DOWN, GATE, UP, K, ModuleNames, O, Q, V

FAMILY = Family(
    "t5",
    classes=("t5", "T5LayerNorm", "T5Attention", ""),
    config=HubConfig(
        shape={"kind": "encoder-decoder", "glu": False, "activation": "relu", "position": "relative", "tied": True, "dropout": 0.1},
        sizes={"hidden": 512, "intermediate": 2048, "layers": 6, "heads": 8, "head_dim": 64, "vocab": 32128},
        reader="hf_encoders.t5",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=True),
    names=ModuleNames(
        modules={
            Q: "layer.0.SelfAttention.q",
            K: "layer.0.SelfAttention.k",
            V: "layer.0.SelfAttention.v",
            O: "layer.0.SelfAttention.o",
            GATE: "layer.1.DenseReluDense.wi_0",
            UP: "layer.1.DenseReluDense.wi",
            DOWN: "layer.1.DenseReluDense.wo",
        },
        norms=("layer.0.layer_norm", "layer.1.layer_norm"),
        layers="encoder.block.*",
        decoder="decoder.block.*",
        embed="shared",
        final_norm="encoder.final_layer_norm",
        head="lm_head",
    ),
    stacks=Stacks("t5", embed_norm=False, last_norm=True),
    attention_bias=("qkv_bias", "o_bias"),
    new_names={},
    experts_are_parameters=False,
    layer="seq2seq.t5",
    layer_period=1,
    sdpa=True,
    position_bias=True,  # modeling_t5.py _supports_flash_attn = False
    always_masked=False,
    repeats_for_flash=False,
    eager="fp32",
    drops_scores=False,
    one_dropout_rate=True,  # dropout_rate
    casts_before_down=True,  # T5DenseActDense: to the dtype of wo
    norm="t5",
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
