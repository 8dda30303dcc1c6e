"""Llama, and what was written after it (transformers 5.24.0 models/llama/)."""

from __future__ import annotations

from budgetlint.catalog.family import TRACED, Family, HubConfig, Tools
from budgetlint.catalog.module_names import ATTENTION, DOWN, GATE, GLU, UP, ModuleNames

FAMILY = Family(
    "llama",
    classes=("llama", "LlamaRMSNorm", "LlamaAttention", "LlamaMLP"),
    elsewhere={"torchtitan": "llama3", "torchtune": "plain"},
    config=HubConfig(
        shape={}, sizes={"hidden": 4096, "intermediate": 11008, "layers": 32, "heads": 32, "vocab": 32000, "max_positions": 2048}
    ),
    basis=TRACED,
    tools=Tools(liger=True, wrap_class="LlamaDecoderLayer", folded_experts=False, fp16_overflows=False),
    names=ModuleNames(
        modules={**ATTENTION, **GLU},
        norms=("input_layernorm", "post_attention_layernorm"),
        layers="model.layers.*",
        embed="model.embed_tokens",
        final_norm="model.norm",
        head="lm_head",
        positions="model.embed_positions",
        experts={GATE: "mlp.experts.*.gate_proj", UP: "mlp.experts.*.up_proj", DOWN: "mlp.experts.*.down_proj"},
        router="mlp.gate",
        shared="mlp.shared_experts",
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
    router="softmax",
    expert_product="gated",
    logits_plain_until="",
    caps_logits=False,
    scales_embedding=False,
    probe_keys="",
    probe_no_window=False,
    probe_no_padding=False,
)
