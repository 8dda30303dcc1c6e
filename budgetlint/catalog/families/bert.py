"""BERT (transformers 5.24.0 models/bert/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import ENCODER_SHAPE
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools
from budgetlint.catalog.module_names import DOWN, UP, K, ModuleNames, O, Q, V

FAMILY = Family(
    "bert",
    classes=("bert", "", "BertAttention", ""),
    config=HubConfig(
        shape=ENCODER_SHAPE,
        sizes={"hidden": 768, "intermediate": 3072, "layers": 12, "heads": 12, "vocab": 30522, "max_positions": 512},
        reader="hf_encoders.bert",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    names=ModuleNames(
        modules={
            Q: "attention.self.query",
            K: "attention.self.key",
            V: "attention.self.value",
            O: "attention.output.dense",
            UP: "intermediate.dense",
            DOWN: "output.dense",
        },
        norms=("attention.output.LayerNorm", "output.LayerNorm"),
        layers="encoder.layer.*",
        embed="embeddings.word_embeddings",
        positions="embeddings.position_embeddings",
        embed_norm="embeddings.LayerNorm",
        final_norm="",
        head="lm_head",
    ),
    attention_bias=("qkv_bias", "o_bias"),
    new_names={},
    experts_are_parameters=False,
    layer="families.post_norm",
    layer_period=1,
    sdpa=True,
    position_bias=False,
    always_masked=False,
    repeats_for_flash=False,
    eager="own dtype",  # the softmax in the scores' dtype
    drops_scores=True,
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
