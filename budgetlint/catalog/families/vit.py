"""ViT (transformers 5.24.0 models/vit/)."""

from __future__ import annotations

from budgetlint.catalog.families._shapes import GELU_SHAPE
from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools, VisionEncoder
from budgetlint.catalog.module_names import DOWN, UP, K, ModuleNames, O, Q, V

FAMILY = Family(
    "vit",
    classes=("vit", "", "ViTAttention", "ViTMLP"),
    config=HubConfig(
        shape={**GELU_SHAPE, "kind": "vision", "activation": "gelu", "position": "learned"},
        sizes={"hidden": 768, "intermediate": 3072, "layers": 12, "heads": 12},
        reader="hf_encoders.vit",
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    names=ModuleNames(
        modules={
            Q: "attention.attention.query",
            K: "attention.attention.key",
            V: "attention.attention.value",
            O: "attention.output.dense",
            UP: "intermediate.dense",
            DOWN: "output.dense",
        },
        norms=("layernorm_before", "layernorm_after"),
        layers="encoder.layer.*",
        embed="embeddings.patch_embeddings.projection",
        positions="embeddings.position_embeddings",
        final_norm="layernorm",
        head="",
    ),
    vision=VisionEncoder(tokens=1, class_token="embeddings.cls_token", patch_bias=True, front_norm=""),
    attention_bias=("qkv_bias", "o_bias"),
    new_names={
        "q_proj": "query",
        "k_proj": "key",
        "v_proj": "value",
        "o_proj": "attention.output.dense",
        "fc1": "intermediate.dense",
        "fc2": "layer.*.output.dense",
    },
    experts_are_parameters=False,
    layer="families.pre_norm",
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
    logits_plain_until="",
    caps_logits=False,
    scales_embedding=False,
    probe_keys="",
    probe_no_window=False,
    probe_no_padding=False,
)
