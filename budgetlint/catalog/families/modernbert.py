"""ModernBERT (transformers 5.24.0 models/modernbert/)."""

from __future__ import annotations

from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools
from budgetlint.catalog.module_names import DOWN, GATE_UP, QKV, ModuleNames, O

FAMILY = Family(
    "modernbert",
    classes=("modernbert", "", "ModernBertAttention", "ModernBertMLP"),
    config=HubConfig(
        shape={"kind": "encoder", "norm": "layernorm", "activation": "gelu", "tied": True},
        sizes={"hidden": 768, "intermediate": 1152, "layers": 22, "heads": 12, "vocab": 50368, "max_positions": 8192},
    ),
    basis=TRACED,
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    names=ModuleNames(
        modules={QKV: "attn.Wqkv", O: "attn.Wo", GATE_UP: "mlp.Wi", DOWN: "mlp.Wo"},
        norms=("attn_norm", "mlp_norm"),
        not_in_first="attn_norm",
        layers="layers.*",
        embed="embeddings.tok_embeddings",
        embed_norm="embeddings.norm",
        final_norm="final_norm",
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
    rotates_as_given=True,
    packed_heads=False,
    logits_plain_until="",
    caps_logits=False,
    scales_embedding=False,
    probe_keys="",
    probe_no_window=False,
    probe_no_padding=False,
)
