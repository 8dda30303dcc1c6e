"""ChatGLM (remote code of the checkpoints)."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families.llama import FAMILY as LLAMA
from budgetlint.catalog.family import Family, HubConfig, Tools, nearest
from budgetlint.catalog.module_names import DOWN, GATE_UP, QKV, O

FAMILY = Family(
    "chatglm",
    like="llama",
    config=HubConfig(shape={"qkv_bias": True}, sizes={}),
    basis=nearest("Llama", 120_000),
    tools=Tools(liger=False, wrap_class="", folded_experts=False, fp16_overflows=False),
    names=replace(
        LLAMA.names,
        modules={QKV: "self_attention.query_key_value", O: "self_attention.dense", GATE_UP: "mlp.dense_h_to_4h", DOWN: "mlp.dense_4h_to_h"},
        layers="transformer.encoder.layers.*",
        embed="transformer.embedding.word_embeddings",
        final_norm="transformer.encoder.final_layernorm",
        head="transformer.output_layer",
        experts={},
    ),
)
