"""What each family calls its modules in the transformers code (5.24.0 modeling_*.py; remote code for qwen, chatglm, baichuan, internlm2).

Paths are relative to one layer; ``*`` in `Family.layers` is the layer's index, in an expert's path the expert's.
"""

from __future__ import annotations

from collections.abc import Mapping

from budgetlint.record import field, record, replace

Q, K, V, O = "q_proj", "k_proj", "v_proj", "o_proj"  # noqa: E741
GATE, UP, DOWN = "gate_proj", "up_proj", "down_proj"
QKV, GATE_UP = "qkv_proj", "gate_up_proj"

ATTENTION = {Q: "self_attn.q_proj", K: "self_attn.k_proj", V: "self_attn.v_proj", O: "self_attn.o_proj"}
"""The names of most decoders since LLaMA."""

GLU = {GATE: "mlp.gate_proj", UP: "mlp.up_proj", DOWN: "mlp.down_proj"}
FFN = {UP: "fc1", DOWN: "fc2"}
CLIP_FFN = {UP: "mlp.fc1", DOWN: "mlp.fc2"}


@record
class Names:
    """Module paths of one family; "" and an empty mapping for what it does not have.

    ``modules``: role -> path in a layer; ``norms``: the hidden-size norms of a layer, ``lone_norm`` the name of a single one where it
    has another, ``not_in_first`` the norm that the first layer lacks; ``decoder``: the layers of the second stack.
    """

    modules: Mapping[str, str]
    norms: tuple[str, ...]
    layers: str
    embed: str
    final_norm: str
    head: str
    positions: str = ""
    embed_norm: str = ""
    experts: Mapping[str, str] = field(default_factory=dict)
    router: str = ""
    shared: str = ""
    decoder: str = ""
    lone_norm: str = ""
    not_in_first: str = ""


@record
class Family:
    """Module paths of one model_type. ``modules``: role -> path in a layer; ``norms``: the hidden-size norms of a layer."""

    modules: Mapping[str, str]
    norms: tuple[str, ...] = ("input_layernorm", "post_attention_layernorm")
    layers: str = "model.layers.*"
    embed: str = "model.embed_tokens"
    positions: str = "model.embed_positions"
    embed_norm: str = ""
    final_norm: str = "model.norm"
    head: str = "lm_head"
    experts: Mapping[str, str] = field(default_factory=dict)
    router: str = "mlp.gate"
    shared: str = "mlp.shared_experts"
    decoder: str = ""


_ATTENTION = {Q: "self_attn.q_proj", K: "self_attn.k_proj", V: "self_attn.v_proj", O: "self_attn.o_proj"}
_GLU = {GATE: "mlp.gate_proj", UP: "mlp.up_proj", DOWN: "mlp.down_proj"}
_EXPERTS = {GATE: "mlp.experts.*.gate_proj", UP: "mlp.experts.*.up_proj", DOWN: "mlp.experts.*.down_proj"}
_NEOX = {QKV: "attention.query_key_value", O: "attention.dense", UP: "mlp.dense_h_to_4h", DOWN: "mlp.dense_4h_to_h"}
_FALCON = {QKV: "self_attention.query_key_value", O: "self_attention.dense", UP: "mlp.dense_h_to_4h", DOWN: "mlp.dense_4h_to_h"}
_GPT2 = {QKV: "attn.c_attn", O: "attn.c_proj", UP: "mlp.c_fc", DOWN: "mlp.c_proj"}
_FFN = {UP: "fc1", DOWN: "fc2"}
_MLA = {
    "q_a_proj": "self_attn.q_a_proj",
    "q_b_proj": "self_attn.q_b_proj",
    Q: "self_attn.q_proj",
    "kv_a_proj": "self_attn.kv_a_proj_with_mqa",
    "kv_b_proj": "self_attn.kv_b_proj",
    O: "self_attn.o_proj",
}

LLAMA = Family({**_ATTENTION, **_GLU}, experts=_EXPERTS)
_GEMMA2 = replace(LLAMA, norms=("input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm"))
_GLM = Family({**_ATTENTION, GATE_UP: "mlp.gate_up_proj", DOWN: "mlp.down_proj"})
_OLMO2 = replace(LLAMA, norms=("post_attention_layernorm", "post_feedforward_layernorm"))
_OPT = Family(
    {**_ATTENTION, O: "self_attn.out_proj", **_FFN},
    norms=("self_attn_layer_norm", "final_layer_norm"),
    layers="model.decoder.layers.*",
    embed="model.decoder.embed_tokens",
    positions="model.decoder.embed_positions",
    final_norm="model.decoder.final_layer_norm",
)
_TRANSFORMER = Family(
    _GPT2,
    norms=("ln_1", "ln_2"),
    layers="transformer.h.*",
    embed="transformer.wte",
    positions="transformer.wpe",
    final_norm="transformer.ln_f",
)
_BERT = Family(
    {
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
)
_T5 = Family(
    {
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
)
_WHISPER = Family(
    {**_ATTENTION, O: "self_attn.out_proj", **_FFN},
    norms=("self_attn_layer_norm", "final_layer_norm"),
    layers="model.encoder.layers.*",
    decoder="model.decoder.layers.*",
    embed="model.decoder.embed_tokens",
    positions="model.decoder.embed_positions",
    final_norm="model.encoder.layer_norm",
    head="proj_out",
)
_BART = replace(_WHISPER, embed="model.shared", positions="model.encoder.embed_positions", final_norm="", head="lm_head")
_VIT = Family(
    {
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
)
_CLIP = Family(
    {**_ATTENTION, O: "self_attn.out_proj", UP: "mlp.fc1", DOWN: "mlp.fc2"},
    norms=("layer_norm1", "layer_norm2"),
    layers="encoder.layers.*",
    embed="embeddings.token_embedding",
    positions="embeddings.position_embedding",
    final_norm="post_layernorm",
)

FAMILIES: dict[str, Family] = {
    "gemma2": _GEMMA2,
    "gemma3": replace(
        _GEMMA2, layers="model.language_model.layers.*", embed="model.language_model.embed_tokens", final_norm="model.language_model.norm"
    ),
    "gemma3_text": _GEMMA2,
    "olmo2": _OLMO2,
    "olmo3": _OLMO2,
    "cohere": replace(LLAMA, norms=("input_layernorm",)),
    "cohere2": replace(LLAMA, norms=("input_layernorm",)),
    "phi": Family(
        {**_ATTENTION, O: "self_attn.dense", UP: "mlp.fc1", DOWN: "mlp.fc2"}, norms=("input_layernorm",), final_norm="model.final_layernorm"
    ),
    "phi3": Family({QKV: "self_attn.qkv_proj", O: "self_attn.o_proj", GATE_UP: "mlp.gate_up_proj", DOWN: "mlp.down_proj"}),
    "starcoder2": Family({**_ATTENTION, UP: "mlp.c_fc", DOWN: "mlp.c_proj"}),
    "gpt2": _TRANSFORMER,
    "gpt_bigcode": _TRANSFORMER,
    "gptj": replace(
        _TRANSFORMER,
        modules={Q: "attn.q_proj", K: "attn.k_proj", V: "attn.v_proj", O: "attn.out_proj", UP: "mlp.fc_in", DOWN: "mlp.fc_out"},
        norms=("ln_1",),
    ),
    "codegen": replace(
        _TRANSFORMER, modules={QKV: "attn.qkv_proj", O: "attn.out_proj", UP: "mlp.fc_in", DOWN: "mlp.fc_out"}, norms=("ln_1",)
    ),
    "gpt_neo": replace(
        _TRANSFORMER,
        modules={
            Q: "attn.attention.q_proj",
            K: "attn.attention.k_proj",
            V: "attn.attention.v_proj",
            O: "attn.attention.out_proj",
            UP: "mlp.c_fc",
            DOWN: "mlp.c_proj",
        },
    ),
    "mpt": Family(
        {QKV: "attn.Wqkv", O: "attn.out_proj", UP: "ffn.up_proj", DOWN: "ffn.down_proj"},
        norms=("norm_1", "norm_2"),
        layers="transformer.blocks.*",
        embed="transformer.wte",
        final_norm="transformer.norm_f",
    ),
    "gpt_neox": Family(
        _NEOX, layers="gpt_neox.layers.*", embed="gpt_neox.embed_in", final_norm="gpt_neox.final_layer_norm", head="embed_out"
    ),
    "falcon": Family(
        _FALCON, norms=("ln_attn", "ln_mlp"), layers="transformer.h.*", embed="transformer.word_embeddings", final_norm="transformer.ln_f"
    ),
    "bloom": Family(
        _FALCON,
        layers="transformer.h.*",
        embed="transformer.word_embeddings",
        embed_norm="transformer.word_embeddings_layernorm",
        final_norm="transformer.ln_f",
    ),
    "opt": _OPT,
    "internlm2": Family(
        {QKV: "attention.wqkv", O: "attention.wo", GATE: "feed_forward.w1", UP: "feed_forward.w3", DOWN: "feed_forward.w2"},
        norms=("attention_norm", "ffn_norm"),
        embed="model.tok_embeddings",
        head="output",
    ),
    "qwen": Family(
        {QKV: "attn.c_attn", O: "attn.c_proj", GATE: "mlp.w2", UP: "mlp.w1", DOWN: "mlp.c_proj"},
        norms=("ln_1", "ln_2"),
        layers="transformer.h.*",
        embed="transformer.wte",
        final_norm="transformer.ln_f",
    ),
    "chatglm": Family(
        {QKV: "self_attention.query_key_value", O: "self_attention.dense", GATE_UP: "mlp.dense_h_to_4h", DOWN: "mlp.dense_4h_to_h"},
        layers="transformer.encoder.layers.*",
        embed="transformer.embedding.word_embeddings",
        final_norm="transformer.encoder.final_layernorm",
        head="transformer.output_layer",
    ),
    "baichuan": Family({QKV: "self_attn.W_pack", O: "self_attn.o_proj", **_GLU}),
    "glm": _GLM,
    "glm4": replace(_GLM, norms=("input_layernorm", "post_attention_layernorm", "post_self_attn_layernorm", "post_mlp_layernorm")),
    "mixtral": replace(
        LLAMA,
        router="block_sparse_moe.gate",
        experts={GATE: "block_sparse_moe.experts.*.w1", UP: "block_sparse_moe.experts.*.w3", DOWN: "block_sparse_moe.experts.*.w2"},
    ),
    "qwen2_moe": replace(LLAMA, shared="mlp.shared_expert"),
    **dict.fromkeys(("qwen3_next", "qwen3_5", "qwen3_5_moe"), replace(LLAMA, shared="mlp.shared_expert")),
    "gpt_oss": replace(LLAMA, router="mlp.router", experts={GATE_UP: "mlp.experts.gate_up_proj", DOWN: "mlp.experts.down_proj"}),
    "deepseek_v2": replace(LLAMA, modules={**_MLA, **_GLU}),
    "deepseek_v3": replace(LLAMA, modules={**_MLA, **_GLU}),
    "glm4_moe_lite": replace(LLAMA, modules={**_MLA, **_GLU}),
    "bert": _BERT,
    "roberta": _BERT,
    "xlm-roberta": _BERT,
    "electra": _BERT,
    "deberta-v2": replace(
        _BERT,
        modules={**_BERT.modules, Q: "attention.self.query_proj", K: "attention.self.key_proj", V: "attention.self.value_proj"},
    ),
    "distilbert": replace(
        _BERT,
        modules={
            Q: "attention.q_lin",
            K: "attention.k_lin",
            V: "attention.v_lin",
            O: "attention.out_lin",
            UP: "ffn.lin1",
            DOWN: "ffn.lin2",
        },
        norms=("sa_layer_norm", "output_layer_norm"),
        layers="transformer.layer.*",
    ),
    "modernbert": Family(
        {QKV: "attn.Wqkv", O: "attn.Wo", GATE_UP: "mlp.Wi", DOWN: "mlp.Wo"},
        norms=("attn_norm", "mlp_norm"),
        layers="layers.*",
        embed="embeddings.tok_embeddings",
        embed_norm="embeddings.norm",
        final_norm="final_norm",
    ),
    "t5": _T5,
    "mt5": _T5,
    "whisper": _WHISPER,
    "vit": _VIT,
    "deit": _VIT,
    "dinov2": replace(
        _VIT,
        modules={**_VIT.modules, UP: "mlp.fc1", DOWN: "mlp.fc2"},
        norms=("norm1", "norm2"),
    ),
    "bart": _BART,
    "mbart": _BART,
    "pegasus": _BART,
    "clip_text": replace(_CLIP, final_norm="final_layer_norm"),
    "clip_vision": replace(_CLIP, embed="embeddings.patch_embedding"),
    "siglip": replace(_CLIP, embed="embeddings.patch_embedding"),
}
"""Families whose modules differ from Llama's; every other decoder reads `LLAMA`."""

FUSED_EXPERTS_SINCE = "5.0.0"
"""From this transformers version expert matrices are 3-D parameters (``experts.gate_up_proj``), no linears: neither PEFT's
``all-linear`` (before 0.21, which folds the update into a copy of the weights) nor bitsandbytes reaches them
(modeling_mixtral.py:65-66, modeling_qwen3_moe.py:219-220 of 5.24.0)."""


def family_of(name: str) -> Family:
    return FAMILIES.get(name, LLAMA)
